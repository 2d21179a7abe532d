// A method that uses its object.
import { createServer } from 'node:http'
import { burn } from '../burn.mjs'

class Pricing {
  factor = 3

  price(number) {
    return burn(number, 300_000) * this.factor
  }
}

const pricing = new Pricing()
createServer((request, response) => response.end(String(pricing.price(7)))).listen(process.env.PORT)

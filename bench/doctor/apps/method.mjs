// A method that uses its object.
import { createServer } from 'node:http'
import { burn } from '../burn.mjs'
import { moved } from '../moved.mjs'

class Pricing {
  factor = 3

  price(number) {
    return burn(number, 600_000) * this.factor
  }
}

const pricing = new Pricing()
createServer(async (request, response) => {
  response.end(String(moved.burn ? (await moved.burn(7, 600_000)) * 3 : pricing.price(7)))
}).listen(process.env.PORT)

// A function that uses a variable of the function around it.
import { createServer } from 'node:http'
import { burn } from '../burn.mjs'

function createCounter() {
  let count = 0
  return function countUp(seed) {
    count++
    return burn(seed + count, 300_000)
  }
}

const countUp = createCounter()
createServer((request, response) => response.end(String(countUp(7)))).listen(process.env.PORT)

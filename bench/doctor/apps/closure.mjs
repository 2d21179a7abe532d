// A function that uses a variable of the function around it.
import { createServer } from 'node:http'
import { burn } from '../burn.mjs'
import { moved } from '../moved.mjs'

function createCounter() {
  let count = 0
  return function countUp(seed) {
    count++
    return burn(seed + count, 600_000)
  }
}

const countUp = createCounter()
createServer(async (request, response) => {
  response.end(String(moved.burn ? await moved.burn(8, 600_000) : countUp(7)))
}).listen(process.env.PORT)

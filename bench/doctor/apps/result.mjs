// A function whose result is no data.
import { createServer } from 'node:http'
import { burn } from '../burn.mjs'
import { moved } from '../moved.mjs'

function prepare(seed) {
  const sum = burn(seed, 600_000)
  return { sum, add: (more) => sum + more }
}

createServer(async (request, response) => {
  response.end(String(moved.burn ? (await moved.burn(7, 600_000)) + 1 : prepare(7).add(1)))
}).listen(process.env.PORT)

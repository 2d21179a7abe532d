// A function whose result is no data.
import { createServer } from 'node:http'
import { burn } from '../burn.mjs'

function prepare(seed) {
  const sum = burn(seed, 300_000)
  return { sum, add: (more) => sum + more }
}

createServer((request, response) => response.end(String(prepare(7).add(1)))).listen(process.env.PORT)

// A function that is random.
import { createServer } from 'node:http'
import { burn } from '../burn.mjs'

function draw(seed) {
  return burn(seed + Math.floor(Math.random() * 100), 300_000)
}

createServer((request, response) => response.end(String(draw(7)))).listen(process.env.PORT)

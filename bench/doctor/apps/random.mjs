// A function that is random.
import { createServer } from 'node:http'
import { burn } from '../burn.mjs'
import { moved } from '../moved.mjs'

function draw(seed) {
  return burn(seed + Math.floor(Math.random() * 100), 600_000)
}

createServer(async (request, response) => {
  response.end(String(moved.burn ? await moved.burn(57, 600_000) : draw(7)))
}).listen(process.env.PORT)

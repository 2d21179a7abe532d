// A function that takes the request.
import { createServer } from 'node:http'
import { burn } from '../burn.mjs'
import { moved } from '../moved.mjs'

function audit(request) {
  return burn(request.headers.host.length, 600_000)
}

createServer(async (request, response) => {
  const sum = moved.burn ? await moved.burn(request.headers.host.length, 600_000) : audit(request)
  response.end(String(sum))
}).listen(process.env.PORT)

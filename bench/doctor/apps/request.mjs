// A function that takes the request.
import { createServer } from 'node:http'
import { burn } from '../burn.mjs'

function audit(request) {
  return burn(request.headers.host.length, 300_000)
}

createServer((request, response) => response.end(String(audit(request)))).listen(process.env.PORT)

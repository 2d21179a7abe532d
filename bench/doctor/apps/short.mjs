// A function of which each call is too short.
import { createServer } from 'node:http'

function mix(sum, i) {
  for (let k = 0; k < 60; k++) sum = (sum * 31 + i + k) % 1_000_003
  return sum
}

createServer((request, response) => {
  let sum = 0
  for (let i = 0; i < 20_000; i++) sum = mix(sum, i)
  response.end(String(sum))
}).listen(process.env.PORT)

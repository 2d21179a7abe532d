// A server whose program a bundler makes.
import { createServer } from 'node:http'
import { answer } from './sums/answer'

const server = createServer((_, response) => {
  answer().then(
    (text) => response.end(text),
    (error: unknown) => response.writeHead(500).end(String(error)),
  )
})
server.listen(Number(process.env.PORT), '127.0.0.1')

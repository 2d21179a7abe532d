// A server of files: node serve.js FOLDER
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'

const TYPES = { '.html': 'text/html', '.js': 'text/javascript' }

const server = createServer(({ url }, response) => {
  const name = url === '/' ? 'index.html' : normalize(url.replace(/\?.*/, ''))
  try {
    const content = readFileSync(join(process.argv[2], name))
    response.setHeader('Content-Type', TYPES[extname(name)] ?? 'application/octet-stream').end(content)
  } catch {
    response.writeHead(404).end()
  }
})
server.listen(process.env.PORT)
process.once('SIGTERM', () => {
  server.closeAllConnections()
  server.close()
})

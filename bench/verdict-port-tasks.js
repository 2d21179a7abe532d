// A module that binds a port: two processes cannot load it at the same time.
import { once } from 'node:events'
import { createServer } from 'node:net'

const server = createServer().listen(48_173, '127.0.0.1')
await once(server, 'listening')
server.unref()

export { compute } from './verdict-tasks.js'

// Replays the bytes that the primary has read from a connection (read-ahead.ts): they become its first data again.

import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'

interface NewConnection {
  cmd?: string
  /** In base64. */
  readAhead?: string
}

interface Servers {
  onServer(listener: (server: EventEmitter) => void): void
}

export function replayBytes(servers: Servers): void {
  const read = new WeakMap<object, Buffer>()
  const keep = (message: NewConnection | undefined, handle: object | undefined) => {
    if (message?.cmd !== 'NODE_CLUSTER' || message.readAhead === undefined || !handle) return
    read.set(handle, Buffer.from(message.readAhead, 'base64'))
  }
  // Before the listener of node:cluster, which makes a socket of the handle at once.
  process.prependListener('internalMessage' as 'message', keep as NodeJS.MessageListener)
  servers.onServer((server) => {
    server.prependListener('connection', (socket: Socket) => {
      const { _handle: handle } = socket as unknown as { _handle?: object | null }
      const bytes = handle ? read.get(handle) : undefined
      if (!handle || !bytes) return
      // Once: the server may emit the connection on another server, which replays too.
      read.delete(handle)
      // HTTP, HTTP/2 and TLS take what a socket holds before they read on; so does everybody who listens to it.
      socket.unshift(bytes)
    })
  })
}

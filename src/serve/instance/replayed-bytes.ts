// Inside an instance: what the primary has read from a connection becomes the first data of that connection again.

import type { Socket } from 'node:net'
import type { Servers } from './watch-servers.js'

interface NewConnection {
  cmd?: string
  /** In base64. */
  readAhead?: string
}

export function putBackWhatWasRead(servers: Servers): void {
  const read = new WeakMap<object, Buffer>()
  const keep = (message: NewConnection | undefined, handle: object | undefined) => {
    if (message?.cmd !== 'NODE_CLUSTER' || message.readAhead === undefined || !handle) return
    read.set(handle, Buffer.from(message.readAhead, 'base64'))
  }
  // Before node:cluster, which makes a socket of it at once.
  process.prependListener('internalMessage' as 'message', keep as NodeJS.MessageListener)
  servers.onServer((server) => {
    server.prependListener('connection', (socket: Socket) => {
      const { _handle: handle } = socket as unknown as { _handle?: object | null }
      const bytes = handle ? read.get(handle) : undefined
      if (!handle || !bytes) return
      // Once: it may be handed from this server to another one that listens too.
      read.delete(handle)
      // HTTP, HTTP/2 and TLS take what a socket holds before they read on; so does everybody who listens to it.
      socket.unshift(bytes)
    })
  })
}

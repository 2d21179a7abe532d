// The child's end of the pipe to its pool.

import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

export function openChannel(fd: number): Duplex {
  return 'bun' in process.versions ? byFile(fd) : new Socket({ fd, readable: true, writable: true })
}

/** Bun's sockets take no descriptor. Writing waits for the pool, which never waits for us. */
function byFile(fd: number): Duplex {
  const { createReadStream, writeSync } = process.getBuiltinModule('node:fs')
  const { Duplex } = process.getBuiltinModule('node:stream')
  const source = createReadStream('', { fd, autoClose: false })
  const channel = new Duplex({
    read: () => void source.resume(),
    write(chunk: Uint8Array, _encoding, done) {
      for (let at = 0; at < chunk.length;) at += writeSync(fd, chunk, at)
      done()
    },
  })
  source.on('data', (chunk) => channel.push(chunk) || source.pause())
  source.on('close', () => channel.destroy())
  source.on('end', () => channel.destroy())
  source.on('error', () => channel.destroy())
  return channel
}

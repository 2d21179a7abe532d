// A port that nobody listens on, and that nobody else is given before the caller listens on it.
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * No system takes a port of this range for a connection, or for who listens on port 0, as the tests that run beside this one do. It has no
 * port that fetch refuses.
 */
const RANGE = { from: 12_000, to: 32_000 }
const given = new Set()

export async function freePort() {
  for (;;) {
    const port = RANGE.from + Math.floor(Math.random() * (RANGE.to - RANGE.from))
    if (!given.has(port) && (await isFree(port))) {
      given.add(port)
      return port
    }
  }
}

/** On any address: instances listen on all, others on that of this machine. */
async function isFree(port) {
  const server = createServer().listen(port)
  try {
    await once(server, 'listening')
  } catch (error) {
    if (error.code === 'EADDRINUSE' || error.code === 'EACCES') return false
    throw error
  }
  server.close()
  await once(server, 'close')
  return true
}

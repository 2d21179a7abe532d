// Whether an instance has stopped listening by itself: its process runs on, and nobody reaches it.

import type { Servers } from './watch-servers.js'

/** A server may be closed to listen again at once, with other certificates or another port. */
const SETTLE_MS = 1000

export interface ClosedServers {
  /** From now on servers are closed on purpose. */
  stop(): void
}

/** `onClosed` is called once, when none of the servers that have listened does so any more. */
export function watchClosedServers(servers: Servers, onClosed: () => void): ClosedServers {
  let isOver = false
  const look = () => {
    if (isOver || [...servers.all()].some(({ server }) => server.listening)) return
    isOver = true
    onClosed()
  }
  servers.onServer((server) => {
    server.on('close', () => setTimeout(look, SETTLE_MS).unref())
  })
  return { stop: () => (isOver = true) }
}

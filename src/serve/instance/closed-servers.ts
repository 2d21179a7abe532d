// Whether an instance has stopped listening by itself: its process runs on, and nobody reaches it. An instance may have several servers: the one
// for metrics does not answer for the one that was closed.

import type { Server } from 'node:net'
import type { Servers } from './watch-servers.js'

/** A server may be closed to listen again at once, with other certificates or another port. */
const SETTLE_MS = 1000

export interface ClosedServers {
  /** From now on servers are closed on purpose. */
  stop(): void
}

interface Listening {
  readonly place: string
  readonly since: number
  /** On a port or path of its choice. */
  readonly isChosen: boolean
}

/**
 * `onClosed` is called once, with what was closed, when no server listens there any more and none has begun to listen instead. A server that
 * was there for less than a moment, or on a port of the choice of the system, counts only when it was the last: programs look for a free port
 * that way.
 */
export function watchClosedServers(servers: Servers, onClosed: (what: string) => void): ClosedServers {
  const listening = new Map<Server, Listening>()
  let isOver = false
  const look = ({ place, since, isChosen }: Listening, end: number) => {
    const left = [...listening.values()]
    const wasThere = isChosen && end - since >= SETTLE_MS
    const isReplaced = left.some((other) => other.place === place || other.since >= end)
    if (isOver || isReplaced || (left.length > 0 && !wasThere)) return
    isOver = true
    onClosed(left.length > 0 ? `it closed its server on ${place}` : 'it closed its server')
  }
  servers.onServer((server, isChosen) => {
    server.on('listening', () =>
      listening.set(server, { place: placeOf(server), since: performance.now(), isChosen }),
    )
  })
  servers.onClose((server) => {
    const closed = listening.get(server)
    listening.delete(server)
    if (closed) setTimeout(look, SETTLE_MS, closed, performance.now()).unref()
  })
  return { stop: () => (isOver = true) }
}

function placeOf(server: Server): string {
  const address = server.address()
  if (address === null || typeof address === 'string') return String(address)
  return `${address.address}, port ${address.port}`
}

// Which instance gets the connections of a client, known by its address or a cookie: always the same one, as long as it serves.
//
// Rendezvous hashing: each place in the service has a weight for each client, and the heaviest place that is taken wins. So when
// an instance goes, only its own clients move, and they spread over the others; when its place is taken again, they come back.

import { hashOf } from '../../primitives/hash.js'
import { createRoundRobin, type Receiver } from './in-turn.js'
import { createReadAhead, type ConnectionHandle, type ReadAhead } from './read-ahead.js'

export type { ConnectionHandle } from './read-ahead.js'

export interface Sticky {
  add(candidate: Receiver): void
  remove(candidate: Receiver): void
  /** Null where clients are known by their address. */
  readonly ahead: ReadAhead | null
  /** Undefined when nobody listens, or when the client has no address. */
  choose(key: string, connection: ConnectionHandle, refusedBy?: ReadonlySet<Receiver>): Receiver | undefined
}

export function createSticky(cookie: string | null = null): Sticky {
  const candidates = new Set<Receiver>()
  const ahead = cookie === null ? null : createReadAhead(cookie)
  const nextInTurn = createRoundRobin()
  return {
    ahead,
    add: (candidate) => candidates.add(candidate),
    remove: (candidate) => candidates.delete(candidate),
    choose(key, connection, refusedBy) {
      const able = [...candidates].filter((one) => !refusedBy?.has(one) && one.listensOn(key))
      const client = ahead ? ahead.cookieOf(connection) : addressOf(connection)
      if (client !== undefined) return heaviest(able, client)
      return ahead ? nextInTurn(able) : undefined
    },
  }
}

function heaviest(candidates: readonly Receiver[], client: string): Receiver | undefined {
  const best = { weight: -1, candidate: undefined as Receiver | undefined }
  for (const candidate of candidates) {
    const weight = hashOf(`${client} ${candidate.place}`)
    // During a reload two have the same place: the later one is the new one.
    if (weight >= best.weight) Object.assign(best, { weight, candidate })
  }
  return best.candidate
}

function addressOf(connection: ConnectionHandle): string | undefined {
  const out: { address?: string } = {}
  connection.getpeername?.(out)
  return out.address
}

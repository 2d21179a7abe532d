// Which instance gets the connections of a client, known by its address or a cookie: always the same one, as long as it serves.
//
// Rendezvous hashing: each place in the service has a weight for each client, and the heaviest place that is taken wins. So when
// an instance goes, only its own clients move, and they spread over the others; when its place is taken again, they come back.

import { createReadAhead, type Connection, type ReadAhead } from './read-ahead.js'

export type { Connection } from './read-ahead.js'

/** An instance that may get connections. */
export interface Member {
  /** From 0. A replacement takes the place of the one that it replaces. */
  readonly place: number
  /** Of connections that are on their way to it. */
  readonly count: number
  /** Whether it listens on what node:cluster calls so. */
  listensOn(key: string): boolean
  give(key: string, connection: Connection, refusedBy: ReadonlySet<Member>): void
}

export interface Sticky {
  add(member: Member): void
  remove(member: Member): void
  /** Null where clients are known by their address. */
  readonly ahead: ReadAhead | null
  /** Undefined when nobody listens, or when it should have an address and has none. */
  choose(key: string, connection: Connection, refusedBy?: ReadonlySet<Member>): Member | undefined
}

export function createSticky(cookie: string | null = null): Sticky {
  const members = new Set<Member>()
  const ahead = cookie === null ? null : createReadAhead(cookie)
  const takeTurns = createTurns()
  return {
    ahead,
    add: (member) => members.add(member),
    remove: (member) => members.delete(member),
    choose(key, connection, refusedBy) {
      const able = [...members].filter((member) => !refusedBy?.has(member) && member.listensOn(key))
      const client = ahead ? ahead.cookieOf(connection) : addressOf(connection)
      if (client !== undefined) return heaviest(able, client)
      return ahead ? takeTurns(able) : undefined
    },
  }
}

/** The lowest that nobody has. */
export function freePlace(taken: Iterable<{ readonly place: number }>): number {
  const places = new Set([...taken].map(({ place }) => place))
  let place = 0
  while (places.has(place)) place++
  return place
}

function heaviest(members: readonly Member[], client: string): Member | undefined {
  const best = { weight: -1, member: undefined as Member | undefined }
  for (const member of members) {
    const weight = weightOf(client, member.place)
    // During a reload two have the same place: the later one is the new one.
    if (weight >= best.weight) Object.assign(best, { weight, member })
  }
  return best.member
}

/** Those that take what they are given come in turn; one that is blocked is given no more, as long as another one is not. */
function createTurns(): (members: readonly Member[]) => Member | undefined {
  const turns = new WeakMap<Member, number>()
  let lastTurn = 0
  return (members) => {
    let next = members[0]
    for (const member of members) {
      const isEarlier = (turns.get(member) ?? 0) < (turns.get(next!) ?? 0)
      if (member.count < next!.count || (member.count === next!.count && isEarlier)) next = member
    }
    if (next) turns.set(next, ++lastTurn)
    return next
  }
}

function addressOf(connection: Connection): string | undefined {
  const out: { address?: string } = {}
  connection.getpeername?.(out)
  return out.address
}

/** FNV-1a, and the last steps of MurmurHash3: without them, neighbouring places have weights that go along with each other. */
function weightOf(client: string, place: number): number {
  let hash = 0x811c9dc5
  for (const char of `${client} ${place}`) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

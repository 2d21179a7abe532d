// Which instance gets the connections of an address: always the same one, as long as it serves.
//
// Rendezvous hashing: each place in the service has a weight for each address, and the heaviest place that is taken wins. So when
// an instance goes, only its own clients move, and they spread over the others; when its place is taken again, they come back.

/** An instance that may get connections. */
export interface Member {
  /** From 0. A replacement takes the place of the one that it replaces. */
  readonly place: number
  /** Whether it listens on what node:cluster calls so. */
  listensOn(key: string): boolean
  give(key: string, connection: Connection, refusedBy: ReadonlySet<Member>): void
}

/** What node:cluster hands over. */
export interface Connection {
  close(): void
  /** Not on Unix sockets. */
  getpeername?(out: { address?: string }): number
}

export interface Sticky {
  add(member: Member): void
  remove(member: Member): void
  /** Undefined when it has no address, or nobody listens. */
  choose(key: string, connection: Connection, refusedBy?: ReadonlySet<Member>): Member | undefined
}

export function createSticky(): Sticky {
  const members = new Set<Member>()
  return {
    add: (member) => members.add(member),
    remove: (member) => members.delete(member),
    choose(key, connection, refusedBy) {
      const address = addressOf(connection)
      if (address === undefined) return undefined
      const best = { weight: -1, member: undefined as Member | undefined }
      for (const member of members) {
        if (refusedBy?.has(member) || !member.listensOn(key)) continue
        const weight = weightOf(address, member.place)
        // During a reload two have the same place: the later one is the new one.
        if (weight >= best.weight) Object.assign(best, { weight, member })
      }
      return best.member
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

function addressOf(connection: Connection): string | undefined {
  const out: { address?: string } = {}
  connection.getpeername?.(out)
  return out.address
}

/** FNV-1a, and the last steps of MurmurHash3: without them, neighbouring places have weights that go along with each other. */
function weightOf(address: string, place: number): number {
  let hash = 0x811c9dc5
  for (const char of `${address} ${place}`) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

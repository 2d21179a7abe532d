// Where connections go that node:cluster has given to an instance that is not to have them: one that is not ready yet, or that is not the one of
// this client.
//
//   node:cluster ──> an instance that is shut, or a wrong one ──passOn()──> one that takes it
//                                                              └─ none yet ──> waits until one opens, or until none listens there any more
//
// An instance listens, so that its port, its address and the file of its socket are there for its own code, and is shut until it is ready. A
// client that comes meanwhile waits, as in the queue of a server that is busy.

import { createRoundRobin } from './in-turn.js'
import type { Receiver } from './in-turn.js'
import type { ConnectionHandle, Sticky } from './sticky.js'

export interface Entrance {
  /** Null: each instance gets connections in turn. */
  readonly sticky: Sticky | null
  add(candidate: Receiver): void
  remove(candidate: Receiver): void
  passOn(key: string, connection: ConnectionHandle, refusedBy?: ReadonlySet<Receiver>): void
  /** An instance has opened, or does not listen any more: those that wait may have somewhere to go, or nowhere. */
  look(): void
}

interface Waiting {
  readonly key: string
  readonly connection: ConnectionHandle
}

export function createEntrance(sticky: Sticky | null): Entrance {
  const candidates = new Set<Receiver>()
  const nextInTurn = createRoundRobin()
  let waiting: Waiting[] = []
  const choose = (key: string, connection: ConnectionHandle, refusedBy: ReadonlySet<Receiver>) => {
    const chosen = sticky?.choose(key, connection, refusedBy)
    return chosen ?? nextInTurn([...candidates].filter((one) => !refusedBy.has(one) && one.listensOn(key)))
  }
  const passOn: Entrance['passOn'] = (key, connection, refusedBy = new Set()) => {
    const chosen = choose(key, connection, refusedBy)
    if (chosen) chosen.give(key, connection, refusedBy)
    else if ([...candidates].some((one) => one.isShutOn(key))) waiting.push({ key, connection })
    else connection.close()
  }
  const look = () => {
    const all = waiting
    waiting = []
    for (const { key, connection } of all) passOn(key, connection)
  }
  return {
    sticky,
    add(candidate) {
      candidates.add(candidate)
      sticky?.add(candidate)
    },
    remove(candidate) {
      candidates.delete(candidate)
      sticky?.remove(candidate)
      look()
    },
    passOn,
    look,
  }
}

// Round robin among those with the fewest connections in flight: an instance that is blocked gets no more, unless all are.

import type { ConnectionHandle } from './read-ahead.js'

/** An instance that may get connections. */
export interface Receiver {
  /** Its number among the instances, from 0. A replacement takes the place of the one that it replaces. */
  readonly place: number
  /** How many connections are in flight to it. */
  readonly count: number
  /** Whether it takes connections to the address that node:cluster has under this key. */
  listensOn(key: string): boolean
  /** Whether it listens there, and takes none yet. */
  isShutOn(key: string): boolean
  give(key: string, connection: ConnectionHandle, refusedBy: ReadonlySet<Receiver>): void
}

/** The returned function gives undefined when there is nobody to choose. */
export function createRoundRobin(): (candidates: readonly Receiver[]) => Receiver | undefined {
  const turns = new WeakMap<Receiver, number>()
  let lastTurn = 0
  return (candidates) => {
    let next = candidates[0]
    for (const candidate of candidates) {
      const isEarlier = (turns.get(candidate) ?? 0) < (turns.get(next!) ?? 0)
      if (candidate.count < next!.count || (candidate.count === next!.count && isEarlier)) next = candidate
    }
    if (next) turns.set(next, ++lastTurn)
    return next
  }
}

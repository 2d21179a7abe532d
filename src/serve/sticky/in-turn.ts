// Round robin among those with the fewest connections in flight: an instance that is blocked gets no more, unless all are.

import type { Connection } from './read-ahead.js'

/** An instance that may get connections. */
export interface Candidate {
  /** Its number among the instances, from 0. A replacement takes the place of the one that it replaces. */
  readonly place: number
  /** How many connections are in flight to it. */
  readonly count: number
  /** Whether it takes connections to the address that node:cluster has under this key. */
  listensOn(key: string): boolean
  /** Whether it listens there, and takes none yet. */
  isShutOn(key: string): boolean
  give(key: string, connection: Connection, refusedBy: ReadonlySet<Candidate>): void
}

/** The returned function gives undefined when there is nobody to choose. */
export function createRoundRobin(): (candidates: readonly Candidate[]) => Candidate | undefined {
  const turns = new WeakMap<Candidate, number>()
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

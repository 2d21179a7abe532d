// Round robin among those with the fewest connections in flight: an instance that is blocked gets no more, unless all are.

import type { Candidate } from './sticky.js'

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

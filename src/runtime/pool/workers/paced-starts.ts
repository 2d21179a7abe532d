// Starts of workers, spread over turns of the event loop: each takes a millisecond or more of this thread, which goes on meanwhile also
// where a pool is large. All pools of a thread share its turns.

import { nextTurn, planOnce } from '../../executor/turns.js'
import { machineNow } from '../../wire/machine-clock.js'

/** Milliseconds of a turn that may pass before its last worker is started. */
const TURN_MS = 5

let spentMs = 0
let waiting: (() => void)[] = []

const beginTurn = planOnce(nextTurn, () => {
  spentMs = 0
  const goOn = waiting
  waiting = []
  for (const each of goOn) each()
})

/** Starts a worker; false: not in this turn, and `goOn` is called in the next one. */
export function startInTurn(start: () => void, goOn: () => void): boolean {
  beginTurn()
  if (spentMs >= TURN_MS) {
    if (!waiting.includes(goOn)) waiting.push(goOn)
    return false
  }
  const since = machineNow()
  start()
  spentMs += machineNow() - since
  return true
}

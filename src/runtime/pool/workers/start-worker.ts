// Starts of workers, spread over turns of the event loop: each takes a millisecond or more of this thread, which goes on meanwhile also
// where a pool is large. All pools of a thread share its turns.

import { machineNow } from '../../wire/machine-clock.js'
import { planOnce } from '../../executor/plan-once.js'
import { nextTurn } from '../../../primitives/timers.js'
import { BY_MESSAGE } from '../../wire/codec/packet.js'
import type { PoolWorker, StartWorker, WorkerEvents, WorkerIds } from './worker.js'

/** Milliseconds of a turn that may pass before its last worker is started. */
const TURN_MS = 5

let spentMs = 0
const waiting = new Set<() => void>()

const beginTurn = planOnce(nextTurn, () => {
  spentMs = 0
  for (const goOn of waiting) {
    if (spentMs >= TURN_MS) return beginTurn()
    waiting.delete(goOn)
    goOn() // may wait again, behind all others
  }
})

/** Starts a worker; false: not in this turn, and `goOn` is called in the next one. */
export function startInTurn(start: () => void, goOn: () => void): boolean {
  beginTurn()
  if (spentMs >= TURN_MS) {
    waiting.add(goOn)
    return false
  }
  const since = machineNow()
  start()
  spentMs += machineNow() - since
  return true
}

// Starts a worker; if not even that is possible, for example at the limit of threads, it is one that has died at once.

export interface StartEvents extends WorkerEvents {
  /** There is no worker. onExit follows. */
  onFailed(error: unknown): void
}

export function tryStart(numbers: WorkerIds, startWorker: StartWorker, events: StartEvents): PoolWorker {
  try {
    return startWorker(numbers, events)
  } catch (error) {
    events.onFailed(error)
    nextTurn(() => events.onExit({ how: 'before it ran' }, []))
    return noWorker
  }
}

const noWorker: PoolWorker = { channel: { carrier: BY_MESSAGE, send() {} }, terminate() {} }

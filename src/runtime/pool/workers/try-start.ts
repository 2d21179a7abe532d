// Starts a worker; if not even that is possible, for example at the limit of threads, it is one that has died at once.

import { BY_MESSAGE } from '../../wire/codec/packet.js'
import type { PoolWorker, StartWorker, WorkerEvents, WorkerIds } from './worker.js'
import { nextTurn } from '../../../primitives/timers.js'

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

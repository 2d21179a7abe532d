// Starts a worker; if not even that is possible, for example at the limit of threads, it is one that has died at once.

import { nextTurn } from '../../../primitives/turns.js'
import { BY_MESSAGE } from '../../wire/codec/packet.js'
import type { PoolWorker, StartWorker, WorkerEvents } from './worker.js'

export interface StartEvents extends WorkerEvents {
  /** There is no worker. onExit follows. */
  onFailed(error: unknown): void
}

export function tryStart(id: number, startWorker: StartWorker, events: StartEvents): PoolWorker {
  try {
    return startWorker(id, events)
  } catch (error) {
    events.onFailed(error)
    nextTurn(() => events.onExit({ how: 'before it ran' }, []))
    return noWorker
  }
}

const noWorker: PoolWorker = { channel: { carrier: BY_MESSAGE, send() {} }, terminate() {} }

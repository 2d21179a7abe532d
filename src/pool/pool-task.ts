// One accepted call, from acceptance to the end of its promise.
//
//   queued --> sent --> settled
//      \_________________/          (cancelled, or the pool was destroyed)
//
// A sent call may settle before its worker has answered (cancelled, timed out); its late reply is dropped.

import type { Transferable } from '../executor/executor.js'
import type { TaskCost } from './task-cost.js'
import type { WorkerSlot } from './worker-slot.js'

export interface PoolTask {
  readonly id: number
  readonly name: string
  readonly args: readonly unknown[]
  readonly transfer: readonly Transferable[] | undefined
  /** Ask the worker to say when the call starts: it may be cancelled or time out. */
  readonly announceStart: boolean
  readonly gracePeriod: number
  readonly cost: TaskCost
  resolve: (value: unknown) => void
  /** The reason is made only when it is needed, in the caller's own chain of promises (see rethrow in pool.ts). */
  reject: (makeReason: () => unknown) => void
  /** Ends the watch over signal and timeout. */
  release: (() => void) | undefined
  onStart: (() => void) | undefined
  isSettled: boolean
  /** The worker has announced its start (only with announceStart). */
  hasStarted: boolean
  /** The worker that holds it; undefined while queued. */
  slot: WorkerSlot | undefined
  /** Position in the order in which its worker received calls; -1 while queued. */
  position: number
  /** Microseconds charged to the worker for this call; 0 once it has returned or waits. */
  chargedUs: number
  isWaiting: boolean
}

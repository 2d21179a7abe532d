// One accepted call, from acceptance to the end of its promise.
//
//   queued --> sent --> settled
//      \_________________/          (cancelled, or the pool was destroyed)
//
// A sent call may settle before its worker has answered (cancelled, timed out); its late reply is dropped.

import type { Cancellation } from '../executor/cancellation.js'
import type { RunOptions, Transferable } from '../executor/executor.js'
import { TaskCost } from './task-cost.js'
import type { WorkerSlot } from './worker-slot.js'

export interface PoolTask {
  /** Given by whoever holds it: 0 or more in the shared queue (isShared), negative with a worker that it was sent to. */
  id: number
  readonly name: string
  /** Empty once it has settled: whoever still holds the call must not hold what its caller gave it. */
  args: readonly unknown[]
  readonly transfer: readonly Transferable[] | undefined
  /** Ask the worker to say when the call starts: it may be cancelled or time out. */
  readonly announceStart: boolean
  readonly gracePeriod: number
  /** Known once it goes to one worker. */
  cost: TaskCost
  resolve: (value: unknown) => void
  /** The watch over signal and timeout. */
  watch: Cancellation | undefined
  isSettled: boolean
  /** It is in the pool's own queue. */
  isQueued: boolean
  /** Why its caller has given it up. */
  cancelReason: unknown
  /** The worker has announced its start (only with announceStart). */
  hasStarted: boolean
  /** The worker that is known to hold it. */
  slot: WorkerSlot | undefined
  /** Position in the shared queue, or in the order in which its worker received calls; -1 while it has none. */
  position: number
  /** Microseconds charged to the worker for this call; 0 once it has returned or waits. */
  chargedUs: number
  isWaiting: boolean
  /** Settled long ago, while its promise in the worker is still open. */
  isAbandoned: boolean
  /** It was sent to a worker that died before the call had started, and sent again. */
  hasMoved: boolean
}

/** What a call costs is not known, and of no interest, until it is given to one worker. */
const UNKNOWN_COST = new TaskCost()

const DEFAULT_GRACE_MS = 1000

export function createPoolTask(
  name: string,
  args: readonly unknown[],
  options: RunOptions | undefined,
): PoolTask {
  // Written out: a spread would make an object that costs V8 many times more than the rest of a call.
  return {
    id: -1,
    name,
    args,
    cost: UNKNOWN_COST,
    resolve: noResolve,
    transfer: options?.transfer?.length ? options.transfer : undefined,
    announceStart: options !== undefined && (options.signal !== undefined || options.timeout !== undefined),
    gracePeriod: options?.gracePeriod ?? DEFAULT_GRACE_MS,
    watch: undefined,
    isSettled: false,
    isQueued: false,
    cancelReason: undefined,
    hasStarted: false,
    slot: undefined,
    position: -1,
    chargedUs: 0,
    isWaiting: false,
    isAbandoned: false,
    hasMoved: false,
  }
}

/** It is in the shared queue, or a worker took it from there. */
export function isShared(task: PoolTask): boolean {
  return task.id >= 0
}

/** Until its promise exists. */
function noResolve(): void {}

// One accepted call, from acceptance to the end of its promise.
//
//   queued --> sent --> settled
//      \_________________/          (cancelled, or the pool was destroyed)
//
// A sent call may settle before its worker has answered (cancelled, timed out); its late reply is dropped.

import type { Cancellation } from '../executor/cancellation.js'
import type { RunOptions, Transferable } from '../executor/executor.js'
import type { TaskCost } from './task-cost.js'
import type { WorkerSlot } from './worker-slot.js'

export interface PoolTask {
  readonly id: number
  readonly name: string
  /** Empty once it has settled: whoever still holds the call must not hold what its caller gave it. */
  args: readonly unknown[]
  readonly transfer: readonly Transferable[] | undefined
  /** Ask the worker to say when the call starts: it may be cancelled or time out. */
  readonly announceStart: boolean
  readonly gracePeriod: number
  readonly cost: TaskCost
  resolve: (value: unknown) => void
  /** The reason is made only when it is needed, in the caller's own chain of promises (see rethrow in caller-stack.ts). */
  reject: (makeReason: () => unknown) => void
  /** The watch over signal and timeout. */
  watch: Cancellation | undefined
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
  /** Settled long ago, while its promise in the worker is still open. */
  isAbandoned: boolean
  /** It was sent to a worker that died before the call had started, and sent again. */
  hasMoved: boolean
}

export type PoolCall = Pick<PoolTask, 'id' | 'name' | 'args' | 'cost' | 'resolve' | 'reject'>

const DEFAULT_GRACE_MS = 1000

export function createPoolTask(call: PoolCall, options: RunOptions | undefined): PoolTask {
  const { id, name, args, cost, resolve, reject } = call
  // Written out: a spread would make an object that costs V8 many times more than the rest of a call.
  return {
    id,
    name,
    args,
    cost,
    resolve,
    reject,
    transfer: options?.transfer?.length ? options.transfer : undefined,
    announceStart: options?.signal !== undefined || options?.timeout !== undefined,
    gracePeriod: options?.gracePeriod ?? DEFAULT_GRACE_MS,
    watch: undefined,
    isSettled: false,
    hasStarted: false,
    slot: undefined,
    position: -1,
    chargedUs: 0,
    isWaiting: false,
    isAbandoned: false,
    hasMoved: false,
  }
}

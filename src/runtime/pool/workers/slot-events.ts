// What a worker's slot tells the pool, and what it is told at its start.

import type { Observer } from '../../core/observer.js'
import type { HostFunctions } from '../../task/host.js'
import type { Submit } from '../../executor/submit.js'
import type { Call } from '../calls/call.js'
import type { HeldCall, LossEvents, WorkerExit } from './worker.js'

export interface SlotEvents<Slot> extends LossEvents {
  onUp(slot: Slot): void
  readonly onReply: (call: Call, kind: number, value: unknown) => void
  /** The call waits on a promise: its worker is free. */
  onWaiting(call: Call): void
  /** So many inputs of the call have a result; it is about to fail. */
  onDone(call: Call, inputs: number): void
  /** After each message, and when room is made otherwise: there may be room for further calls. */
  readonly onReplies: () => void
  /** For what its tasks fork. */
  readonly submitFork: Submit
  /** Runs a function of the program for one of its tasks. */
  readonly forTask: (run: () => unknown) => unknown
  onUnsendable(call: Call, error: unknown): void
  /** It has run enough calls, or takes too much memory. */
  onWorn(slot: Slot): void
  /** Another worker of its lane still has a call. */
  readonly isHeldBack: (slot: Slot) => boolean
  /** It leaves, or is ended, as too much that nobody waits for goes on in it. */
  readonly onSpent: () => void
  onGone(slot: Slot, exit: WorkerExit, held: readonly HeldCall[]): void
}

export interface SlotOptions {
  readonly observer?: Observer | undefined
  /** Of a pool that is one lane of another: how many lanes are before it. */
  readonly lanesBefore?: number | undefined
  readonly startTimeout: number
  readonly teardownTimeout: number
  readonly tasksPerWorker: number
  /** Calls that may wait on promises at a time; undefined: all that it holds. */
  readonly waitingPerWorker?: number | undefined
  /** Calls after which a worker is replaced; Infinity: never for that. */
  readonly maxTasks: number
  /** What its tasks may call in this thread. */
  readonly host?: HostFunctions | undefined
  /** Each worker is for one call, and the next one of its lane starts while that runs. */
  readonly isolates?: boolean | undefined
}

// The seam between the pool and a runtime: what one thread or process must be able to do. Nothing else is known of it.

import type { Transferable } from '../executor/executor.js'
import type { FromWorker, ToWorker } from '../protocol/messages.js'

/** Starts one worker. May throw when there can be none, for example at the limit of threads. */
export type StartWorker = (id: number, events: WorkerEvents) => PoolWorker

export interface PoolWorker {
  readonly channel: Channel
  /** Ends it now, whatever it is doing. `events.onExit` follows. */
  terminate(): void
}

/** Carries messages to one worker, in order. */
export interface Channel {
  /** Throws a DataCloneError, and sends nothing, when a value cannot be cloned. */
  send(message: ToWorker, transfer?: readonly Transferable[]): void
  /** How many calls the worker has started so far (mod 2^32), where the runtime can know that after a crash. */
  startedCalls?(): number
}

export interface WorkerEvents {
  onMessage(message: FromWorker): void
  /** It takes no more messages; its last ones may still come. Told where time passes between the two. */
  onEnding(): void
  /** The last event, after the last message. */
  onExit(exit: WorkerExit): void
}

export interface WorkerExit {
  /** "with exit code 3", "by SIGKILL", "because it ran out of memory". */
  readonly how: string
  readonly cause?: unknown
}

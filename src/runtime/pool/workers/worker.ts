// The seam between the pool and a runtime: what one thread or process must be able to do. Nothing else is known of it.

import { describe, isThreadwiseError, ThreadwiseError } from '../../../errors/errors.js'
import { endedAtStart, startFailed } from '../../core/load-error.js'
import type { Transferable } from '../../executor/executor.js'
import type { Carrier } from '../../wire/codec/output.js'
import type { FromWorker, OutputMessage, ToWorker } from '../../wire/messages.js'
import type { Call } from '../calls/call.js'
import type { WorkerIdentity } from '../../executor/stats.js'

/** Starts one worker. May throw when there can be none, for example at the limit of threads. */
export type StartWorker = (numbers: WorkerIds, events: WorkerEvents) => PoolWorker

export interface WorkerIds {
  /** Among all workers that the pool has had, from 1. */
  readonly id: number
  /** Its place among those that it has at a time, from 1. */
  readonly slot: number
}

export interface PoolWorker {
  readonly channel: Channel
  readonly identity?: WorkerIdentity | undefined
  /** The call from the shared queue that its thread runs now. */
  currentCall?(): Call | undefined
  /** Milliseconds for which it has run that call; 0 if it is known to be short. */
  currentMs?(): number
  /** It is awake, and there is a call in the shared queue: it may take that next. */
  isTaking?(): boolean
  /** What its thread runs now, as text; undefined where that cannot be had. Never rejects. */
  captureStack?(): Promise<string | undefined>
  /** It says when its code begins to run: nothing counts before. */
  readonly saysHello?: boolean
  /** Told when it is known to be up, before anybody gives it a call. */
  readonly onUp?: (() => void) | undefined
  /** For a reply to a call from the shared queue that came by message. */
  readonly onQueuedReply?: ((id: number, kind: number, value: unknown) => void) | undefined
  /** Prints what it has sent of its output. */
  print?(message: OutputMessage): void
  /** Ends it now, whatever it is doing. `events.onExit` follows. */
  terminate(): void
  /** Of one that was ended: takes what it has not begun, where its end may take long. */
  takeBack?(ended: EndedWorker, unsent: Unsent, events: LossEvents): void
}

export interface EndedWorker {
  readonly channel: Channel
  readonly running: Map<number, Call>
  readonly load: { release(call: Call): void }
}

export interface Unsent {
  remove(call: Call): boolean
}

export interface LossEvents {
  onLost(exit: WorkerExit, held: readonly HeldCall[]): boolean
  onChange(): void
}

/** Carries messages to one worker, in order. */
export interface Channel {
  /** Throws a DataCloneError, and sends nothing, when something beside the bytes of a value cannot be sent. */
  send(message: ToWorker, transfer?: readonly Transferable[]): void
  readonly carrier: Carrier
  /** How many calls the worker has started so far (mod 2^32), where the runtime can know that after a crash. */
  startedCalls?(): number
}

export interface WorkerEvents {
  onMessage(message: FromWorker): void
  /** Its code runs. */
  onHello?(): void
  /** A message that a task has posted by itself. */
  onForeign?(message: unknown): void
  /** A reply to a call from the shared queue. */
  readonly onReply: (call: Call, kind: number, value: unknown) => void
  /** The pool has given it calls, or it waits on promises of some. */
  readonly holdsCalls: () => boolean
  /** What it has sent cannot be read: it is to end, and nothing more is taken from it. */
  onBroken(error: unknown): void
  /** It takes no more messages; its last ones may still come. Told where time passes between the two. */
  onEnding(): void
  /** The last event, after the last message; with the calls from the shared queue that it has not answered. */
  onExit(exit: WorkerExit, held?: readonly HeldCall[]): void
}

export interface HeldCall {
  readonly call: Call
  readonly mayHaveStarted: boolean
}

export interface WorkerExit {
  /** "with exit code 3", "by SIGKILL", "because it ran out of memory". */
  readonly how: string
  readonly cause?: unknown
  /** What may be to blame: a message that it could not read, or no memory, for a message or for what ran. */
  readonly blame?: 'message' | 'memory'
  /** `cause` was thrown outside of any task, as in a timer, or rejected there. */
  readonly isOutside?: boolean
  /** It gave no sign of life, and the pool has ended it. */
  readonly isSilent?: boolean
}

/** Of an error that ends a worker between its calls. */
export function outsideError(cause: unknown): WorkerExit {
  return { how: `because of an error outside of any task (${describe(cause)})`, cause, isOutside: true }
}

/** What its module has said; or so many milliseconds were over. */
export type StartFailure = { readonly error: unknown } | { readonly lateMs: number }

/** A worker that has not come up, or has died before it had answered a call. */
export interface FailedStart {
  readonly module: string
  /** What the module said, or that the time ran out; undefined: the exit tells. */
  readonly failure: StartFailure | undefined
  /** It had come up, and died before it had answered a call. */
  readonly wasUp: boolean
}

export function startError({ module, failure, wasUp }: FailedStart, exit: WorkerExit): ThreadwiseError {
  if (failure && 'lateMs' in failure)
    return new ThreadwiseError('TW_ERR_START_TIMEOUT', { module, timeout: failure.lateMs })
  const error = failure?.error
  // It is about all pools of the program, and no fault of the module.
  if (isThreadwiseError(error) && error.code === 'TW_ERR_TOO_MANY_STARTS') return error
  if (failure) return startFailed(module, failure.error)
  const reason = `it ended ${exit.how} ${wasUp ? 'before it had answered a call' : 'while loading'}`
  return endedAtStart({ module, reason }, exit)
}

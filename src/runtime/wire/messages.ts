// What crosses the boundary between a pool and its workers.
//
// Calls and replies travel in batches, since one message costs the sender 5 to 15 us whatever it carries. A batch is a
// flat array of fixed-size entries: an object for each entry would double the cost of the structured clone. Whatever is a user's
// stands in it as codec/packet.ts carries it.

import { Malformed } from './codec/input.js'
import type { Carried } from './codec/packet.js'

export type ToWorker =
  | CallBatch
  | ControlMessage
  | ForkRepliesMessage
  | RetireMessage
  | CloseMessage
  | InspectMessage
  | BeginMessage

/** What the caller says of a call that is open. */
export type ControlMessage = CancelMessage | CreditMessage | StopMessage | AbandonMessage | PingMessage

/**
 * Entries of CALL_SIZE values: id, name or SAME_NAME, the list of arguments or the only argument (carried), flags. First those that run
 * AT_ONCE. The ids are negative: those of calls in the shared queue are not.
 */
export type CallBatch = unknown[]
export const CALL_SIZE = 4
/** The name of the entry before: a string in each entry would cost as much as all the rest. */
export const SAME_NAME = 0
/** Flag of a call: say STARTED, and send all replies, just before it runs, since it may be cancelled or time out. */
export const ANNOUNCE_START = 1
/** Flag of a call: in place of the arguments stands the only one. A list around each would double the cost. */
export const ONE_ARGUMENT = 2
/** Flag of a call: the arguments are inputs of as many calls; see run-each.ts. */
export const EACH_INPUT = 4
/** Flag of a call: send what it says by task.progress(). */
export const WANTS_PROGRESS = 8
/** Flag of a call: send the items of what it returns; see stream-producer.ts. */
export const WANTS_ITEMS = 16
/** Flag of a call: before the arguments stand the values of the caller's contexts; see define-context.ts. */
export const WITH_CONTEXT = 32
/** Flag of a call: a task has forked it, and may wait for it, so it waits for no others. It is not counted as started. */
export const AT_ONCE = 64
/** Flag of a call: say when it starts, for the statistics; nobody waits for that. */
export const TIMED = 128
/** Above the flags of such a call: how many items it may send before it gets further credit. */
export const CREDIT_SHIFT = 8
export const MAX_CREDIT = 2 ** 22

export interface CancelMessage {
  readonly type: 'cancel'
  readonly id: number
  readonly reason: Carried
}

/** The caller of a stream can take so many items more. */
export interface CreditMessage {
  readonly type: 'credit'
  readonly id: number
  readonly count: number
}

/** The caller of a stream takes no more items: end it. */
export interface StopMessage {
  readonly type: 'stop'
  readonly id: number
}

/** Nobody waits for this call any more, and its place was given to others. */
export interface AbandonMessage {
  readonly type: 'abandon'
  readonly id: number
}

/** Say that your event loop turns; see pool/workers/life-signs.ts. */
export interface PingMessage {
  readonly type: 'ping'
}

/** See runtime/shared-memory/main/shared-buffer-registry.ts. */
export type BufferUpdate = BufferMessage | ForgetBufferMessage

/** From now on calls in the shared queue name this buffer by its number. */
export interface BufferMessage {
  readonly type: 'buffer'
  readonly number: number
  readonly buffer: SharedArrayBuffer
}

/** No further call does. */
export interface ForgetBufferMessage {
  readonly type: 'forget-buffer'
  readonly number: number
}

/** The first message to a child process. A thread is given the same at its start. */
export interface BeginMessage {
  readonly type: 'begin'
  readonly workerData: Carried
  /** Promises of a call for many inputs that may be open at a time. */
  readonly sideBySide: number
  readonly argv: readonly string[]
  /** Where it goes before it loads the module; undefined: it stays where it has started. */
  readonly cwd?: string | undefined
}

/** Take no more calls from the shared queue, and say so. */
export interface RetireMessage {
  readonly type: 'retire'
}

/** Nothing is left to do: end by yourself, so that exit handlers run and output is flushed. */
export interface CloseMessage {
  readonly type: 'close'
}

/** Report what you use. */
export interface InspectMessage {
  readonly type: 'inspect'
}

/** Sent either way: many large copies were sent; see runtime/threads/young-collection.ts. */
export interface CollectMessage {
  readonly type: 'collect'
}

export type FromWorker =
  | ReplyBatch
  | SetsUpMessage
  | ReadyMessage
  | RetiredMessage
  | RecycleMessage
  | StartFailedMessage
  | ForksMessage
  | ForkCancelMessage
  | ReportMessage
  | UnreadableMessage
  | CollectMessage
  | OutputMessage
  | UncaughtMessage
  | PongMessage

/** The worker cannot read a message, and ends. */
export interface UnreadableMessage {
  readonly type: 'unreadable'
  readonly reason: string
}

/** What was written to standard output (1) or standard error (2). */
export interface OutputMessage {
  readonly type: 'output'
  readonly to: 1 | 2
  readonly text: string | Uint8Array
}

/** A worker is about to end because of this: a child process of an error outside of tasks (of a thread Node tells it), or a teardown(). */
export interface UncaughtMessage {
  readonly type: 'uncaught'
  readonly error: Carried
}

/** The answer to PingMessage. */
export interface PongMessage {
  readonly type: 'pong'
}

/** The answer to InspectMessage. */
export interface ReportMessage {
  readonly type: 'report'
  readonly usage: WorkerUsage
}

/** Entries of REPLY_SIZE values: kind, id, value (carried), microseconds for which the call kept the worker's thread busy. */
export type ReplyBatch = unknown[]
export const REPLY_SIZE = 4
export const REPLY_RESULT = 0
export const REPLY_ERROR = 1
/** The function has returned a promise that is still open: the worker is free for other calls. The value is true where it lets them in by turns. */
export const REPLY_WAITING = 2
export const REPLY_STARTED = 3
/** The result cannot be cloned; the value is an Unsendable. */
export const REPLY_UNSENDABLE = 4
/** Never sent: the value is the error that says why a reply cannot be read here. */
export const REPLY_UNREADABLE = 5
/** Replies above this one are parts: the call goes on. */
export const LAST_WHOLE_REPLY = REPLY_UNREADABLE
/** The value is a list of items of a stream. */
export const REPLY_ITEMS = 6
export const REPLY_PROGRESS = 7
/** After WAITING: the synchronous iterator of a stream runs, and may keep the thread busy. */
export const REPLY_RUNS = 8
/** It has returned: the worker is free for other calls. */
export const REPLY_PAUSES = 9
/** Of a call for many inputs that is about to fail: how many of them have a result. The others but one were not called. */
export const REPLY_DONE = 11
/** After WAITING: the call lets others in while it waits for the page, or does so no more; see worker/turns.ts. */
export const REPLY_AWAY = 12
export const REPLY_BACK = 13
/** The value is when the call has started, in milliseconds of machine-clock.ts; with a minus when its function has returned. */
export const REPLY_TIMED = 10

export interface Unsendable {
  /** In words. */
  readonly reason: string
  /** Of a call for many inputs: how many of their results could be sent. */
  readonly sendable: number
}

/** Its setup() begins, and what it opens is for its teardown() to close. */
export interface SetsUpMessage {
  readonly type: 'sets-up'
}

export interface ReadyMessage {
  readonly type: 'ready'
  /** Its module has a teardown(): its end may take a while. */
  readonly tearsDown: boolean
}

/** Sent either way: look at the shared memory. A number, since that is the cheapest message there is. */
export const WAKE = 0

export interface RetiredMessage {
  readonly type: 'retired'
}

/** The heap has grown beyond `recycle.maxHeapBytes`. */
export interface RecycleMessage {
  readonly type: 'recycle'
}

export interface StartFailedMessage {
  readonly type: 'start-failed'
  readonly error: Carried
}

/** Calls that tasks have forked. */
export interface ForksMessage {
  readonly type: 'forks'
  readonly calls: readonly ForkedCall[]
}

export interface ForkedCall {
  /** Given by the worker. */
  readonly id: number
  /** The call that has forked it. */
  readonly parent: number
  readonly name: string
  /** A function of the caller's thread, and not a task. */
  readonly isHost: boolean
  /** The values of the contexts and the list of arguments. */
  readonly payload: Carried
}

/** The call that has forked this one was aborted. */
export interface ForkCancelMessage {
  readonly type: 'fork-cancel'
  readonly id: number
  readonly reason: Carried
}

export interface ForkRepliesMessage {
  readonly type: 'fork-replies'
  readonly replies: readonly ForkReply[]
}

export interface ForkReply {
  readonly id: number
  /** REPLY_RESULT or REPLY_ERROR. */
  readonly kind: number
  readonly value: Carried
}

// Marks the messages of a worker as ours. The task module may post messages of its own over the same port, such as
// process.send('ready') for a process manager; they are none of the pool's business.

const MARK = 'threadwise'

export function wrap(message: FromWorker): object {
  return { [MARK]: message }
}

/** Undefined for whatever is not from `wrap`. */
export function unwrap(received: unknown): FromWorker | undefined {
  if (typeof received !== 'object' || received === null) return undefined
  return (received as Record<string, FromWorker | undefined>)[MARK]
}

/** The same the other way, where the user has the worker too and may post messages of their own: in a browser. */
export function wrapForWorker(message: ToWorker): object {
  return { [MARK]: message }
}

/** Undefined for whatever is not from `wrapForWorker`. */
export function unwrapForWorker(received: unknown): ToWorker | undefined {
  return unwrap(received) as ToWorker | undefined
}

const TYPES: ReadonlySet<unknown> = new Set<Exclude<FromWorker, ReplyBatch>['type']>([
  ...(['sets-up', 'ready', 'start-failed', 'retired', 'recycle', 'unreadable', 'collect'] as const),
  ...(['forks', 'fork-cancel', 'report', 'output', 'uncaught', 'pong'] as const),
])

/**
 * A task can write to its worker's channel. The entries of a batch are looked at where they are read.
 *
 * @throws Malformed for what our code does not send
 */
export function checkMessage(message: FromWorker): void {
  if (Array.isArray(message)) return
  const { type, calls } = Object(message) as { type?: unknown; calls?: unknown }
  if (!TYPES.has(type)) throw new Malformed('it is of no known type')
  if (type === 'report' && !isUsage((message as ReportMessage).usage)) throw new Malformed('a report is none')
  if (type !== 'forks') return
  if (!Array.isArray(calls)) throw new Malformed('it has no calls')
  // Not every(), which passes over holes, however many.
  for (const call of calls) if (!isForkedCall(call)) throw new Malformed('a forked call is none')
}

/**
 * The reply that begins at this place. To be asked of one after the other: a list of holes may be as long as it likes.
 *
 * @throws Malformed for what our code does not send
 */
export function checkReply(replies: ReplyBatch, at: number): void {
  const us = replies[at + 3]
  const isTime = typeof us === 'number' && us >= 0 && us < Infinity
  if (typeof replies[at] !== 'number' || typeof replies[at + 1] !== 'number' || !isTime)
    throw new Malformed('a reply is none')
}

function isUsage(usage: unknown): boolean {
  const { activeMs, idleMs } = Object(usage) as { activeMs?: unknown; idleMs?: unknown }
  return typeof activeMs === 'number' && typeof idleMs === 'number'
}

function isForkedCall(call: unknown): boolean {
  const { id, name } = Object(call) as { id?: unknown; name?: unknown }
  return typeof id === 'number' && typeof name === 'string'
}

/** Null: this version of Node, or this platform, does not tell. */
export interface WorkerUsage {
  /** The number that the operating system gave this thread. */
  readonly osThreadId: number | null
  /** Milliseconds of CPU time since the worker's start, of its thread or its process. */
  readonly cpu: number | null
  readonly heapBytes: number | null
  /** Resident memory; null for a thread, which shares it with its process. */
  readonly rssBytes: number | null
  /** Milliseconds in which the thread was busy, and idle, since it began to look. */
  readonly activeMs: number
  readonly idleMs: number
}

/** The answer to such a call. */
export interface EachResult {
  /** Of the first inputs: those after them, as of a function that gives promises where the pool limits its calls, were not called. */
  readonly results: readonly unknown[]
  /** Microseconds for which all of them kept the thread busy. */
  readonly us: number
  /** Microseconds that it took to read the inputs. */
  readonly readUs: number
  /** The function has returned a promise: such calls do better one by one, since they overlap then. */
  readonly isAsync: boolean
}

// What crosses the boundary between a pool and its workers.
//
// Calls and replies travel in batches, since one message costs the sender 5 to 15 us whatever it carries. A batch is a
// flat array of fixed-size entries: an object for each entry would double the cost of the structured clone.

import type { EncodedThrown } from './serialize-error.js'

export type ToWorker = CallBatch | CancelMessage | AbandonMessage | RetireMessage | CloseMessage

/**
 * The position in the shared queue before which all calls are older (0 without such a queue), then entries of CALL_SIZE
 * values: id, name or SAME_NAME, the list of arguments or the only argument, flags. The ids are negative: those of calls
 * in the shared queue are not.
 */
export type CallBatch = unknown[]
export const BATCH_HEADER = 1
export const CALL_SIZE = 4
/** The name of the entry before: a string in each entry would cost as much as all the rest. */
export const SAME_NAME = 0
/** Flag of a call: say STARTED, and send all replies, just before it runs, since it may be cancelled or time out. */
export const ANNOUNCE_START = 1
/** Flag of a call: in place of the arguments stands the only one. A list around each would double the cost. */
export const ONE_ARGUMENT = 2
/** Flag of a call: the arguments are inputs of as many calls; see run-each.ts. */
export const EACH_INPUT = 4
/** Flag of a call: before the arguments stand the values of the caller's contexts; see define-context.ts. */
export const WITH_CONTEXT = 8
/** Flag of a call: in place of the arguments stands an EncodedGraph of their list. */
export const ENCODED = 16

export interface CancelMessage {
  readonly type: 'cancel'
  readonly id: number
  readonly reason: EncodedThrown
}

/** Nobody waits for this call any more, and its place was given to others. */
export interface AbandonMessage {
  readonly type: 'abandon'
  readonly id: number
}

/** Take no more calls from the shared queue, and say so. */
export interface RetireMessage {
  readonly type: 'retire'
}

/** Nothing is left to do: end by yourself, so that exit handlers run and output is flushed. */
export interface CloseMessage {
  readonly type: 'close'
}

export type FromWorker = ReplyBatch | ReadyMessage | RetiredMessage | StartFailedMessage

/** Entries of REPLY_SIZE values: kind, id, value, microseconds for which the call kept the worker's thread busy. */
export type ReplyBatch = unknown[]
export const REPLY_SIZE = 4
export const REPLY_RESULT = 0
export const REPLY_ERROR = 1
/** The function has returned a promise that is still open: the worker is free for other calls. */
export const REPLY_WAITING = 2
export const REPLY_STARTED = 3
/** The result cannot be cloned; the value says why. */
export const REPLY_UNSENDABLE = 4
/** A result that travels as an EncodedGraph. */
export const REPLY_ENCODED = 5

export interface ReadyMessage {
  readonly type: 'ready'
}

/** Sent either way: look at the shared memory. A number, since that is the cheapest message there is. */
export const WAKE = 0

export interface RetiredMessage {
  readonly type: 'retired'
}

export interface StartFailedMessage {
  readonly type: 'start-failed'
  readonly error: EncodedThrown
}

// Gives an error that comes back from a worker the stack of its caller, at no cost for calls that succeed.
//
// Capturing a stack at each call would cost more than the call itself; see docs/maintainers/figures.md. But V8
// follows the chain of promises from the running microtask to the async function that awaits it. So the reason of a
// rejection is made inside an async function whose promise the caller's promise was resolved with: an error that is
// created there shows "at async caller". That promise exists only for calls that fail.

import { isThreadwiseError } from '../../errors/errors.js'
import { isError } from '../../primitives/any-realm.js'
import { shownName } from '../task/task-function.js'

/** Of V8; browsers of others have it since 2025. */
const { captureStackTrace: capture } = Error as {
  captureStackTrace?: (holder: object, above?: unknown) => void
}

const nothing = Promise.resolve()

/** To resolve a call's promise with: rejects it, with a reason that is made once the caller is in the chain of promises. */
export async function rejectLater(makeReason: () => unknown): Promise<never> {
  // Resolving a promise with another takes two turns of the microtask queue before the two are connected.
  await nothing
  await nothing
  throw makeReason()
}

/** The async frames of the caller, to be called inside `rejectLater`. Empty when nobody awaits the call. */
export function callerStack(task: string): string {
  const holder: { stack?: string } = {}
  capture?.(holder)
  if (typeof holder.stack !== 'string') return '' // Error.prepareStackTrace may return anything
  const frames = holder.stack.split('\n').filter((line) => line.startsWith('    at async '))
  return frames.length > 0
    ? [`    at task ${shownName(task)} (called by the following)`, ...frames].join('\n')
    : ''
}

/** To be called where callerStack() is: an error of ours that a timer has made shows its caller, and not the timer. */
export function traceToCaller(reason: unknown): unknown {
  if (isThreadwiseError(reason)) capture?.(reason, traceToCaller)
  return reason
}

/** Errors that show a caller already: one error may be thrown by many calls. */
const extended = new WeakSet<Error>()

/** To be called in a rejection handler too: adds the caller to an error that was thrown long after its call. */
export function extendStack(thrown: unknown, task: string): void {
  const caller = callerStack(task)
  if (!caller || !isError(thrown) || extended.has(thrown)) return
  extended.add(thrown)
  try {
    if (typeof thrown.stack === 'string') thrown.stack += `\n${caller}`
  } catch {
    // The stack is read-only: the error stays as it was thrown.
  }
}

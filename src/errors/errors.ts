// Every error that threadwise itself raises: one table of codes (error-messages.ts), one class, one brand.
//
// The errors of the user's own tasks never pass through here: they arrive as they were thrown.

import { messageOf, type Details, type ErrorCode } from './error-messages.js'

export type { ErrorCode }

const brand = Symbol.for('threadwise.error')

/**
 * An error raised by threadwise. Recognise it with {@link isThreadwiseError}, not with `instanceof`, since two copies of
 * the package may be loaded; tell the cases apart by `code`.
 */
export class ThreadwiseError extends Error {
  /** @internal Also in a worker, whose file is minified. */
  static override readonly name = 'ThreadwiseError'
  /** What went wrong. Codes are stable; messages are for people and may change. */
  readonly code: ErrorCode
  /** @internal */
  readonly [brand] = true

  /** @internal */
  constructor(code: ErrorCode, details: Details = {}, options?: { cause?: unknown }) {
    super(messageOf(code, withShownTask(details)), options)
    this.name = 'ThreadwiseError'
    this.code = code
  }
}

/** Of a task that every worker has, such as threadwise:each:render, the caller knows the function that it calls. */
function withShownTask(details: Details): Details {
  const { task } = details
  if (typeof task !== 'string' || !task.startsWith('threadwise:')) return details
  return { ...details, task: task.replace(/^threadwise:\w+:/, '') }
}

/**
 * True for every error that threadwise itself raised, also from another copy of the package.
 *
 * @example
 * try { await pool.run('render', [data]) } catch (error) {
 *   if (isThreadwiseError(error) && error.code === 'TW_ERR_WORKER_EXITED') retryLater()
 *   else throw error
 * }
 */
export function isThreadwiseError(value: unknown): value is ThreadwiseError {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[brand] === true
}

/** An error of ours that was raised in a worker; its code follows as a field. */
export function reviveThreadwiseError(message: string): ThreadwiseError {
  const error = Object.create(ThreadwiseError.prototype) as ThreadwiseError
  Object.defineProperty(error, 'message', { value: message, writable: true, configurable: true })
  Object.defineProperty(error, brand, { value: true })
  return error
}

/** An impossible state: a bug of ours, and the message says so. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`This is a bug in threadwise: ${message}`)
}

/** A value as text; for values whose own toString is missing or throws, what the language calls them. */
export function describe(value: unknown): string {
  for (const text of [asText, (thing: unknown) => Object.prototype.toString.call(thing)]) {
    try {
      return text(value)
    } catch {
      // Somebody threw an object that throws when it is shown.
    }
  }
  return 'something that cannot be shown'
}

/** Not all items of a list, of which there may be four thousand million. */
function asText(value: unknown): string {
  if (Array.isArray(value) || ArrayBuffer.isView(value)) throw new RangeError('too long')
  return String(value)
}

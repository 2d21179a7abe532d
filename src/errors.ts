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
  /** Also in a worker, whose file is minified. */
  static override readonly name = 'ThreadwiseError'
  readonly code: ErrorCode
  readonly [brand] = true

  constructor(code: ErrorCode, details: Details = {}, options?: ErrorOptions) {
    super(messageOf(code, details), options)
    this.name = 'ThreadwiseError'
    this.code = code
  }
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

/** Throws TW_ERR_INVALID_OPTION unless `valid`. */
export function checkOption(valid: boolean, option: string, expected: string, received: unknown): void {
  if (!valid) throw new ThreadwiseError('TW_ERR_INVALID_OPTION', { option, expected, received })
}

/** For checkNames: the names of all options, with a space between each two. */
export function optionNames(names: string): ReadonlySet<string> {
  return new Set(names.split(' '))
}

/** Throws TW_ERR_INVALID_OPTION for a name that is not known: a misspelled option would silently mean its default. */
export function checkNames(options: object, known: ReadonlySet<string>, within = ''): void {
  const names = Object.keys(options)
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!
    const value: unknown = known.has(name) ? undefined : Reflect.get(options, name)
    if (value === undefined) continue // as if it were not there
    const near = nearest(name, [...known])
    const hint = near ? `did you mean ${within}${near}?` : `there are ${[...known].join(', ')}`
    checkOption(false, within + name, `left out: there is no such option (${hint})`, value)
  }
}

/** A name of which few letters are wrong: most typing errors are one or two. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const distances = known.map((other) => editDistance(name.toLowerCase(), other.toLowerCase()))
  const least = Math.min(...distances)
  const near = known[distances.indexOf(least)]
  return near !== undefined && least <= Math.min(2, near.length / 2) ? near : undefined
}

/** Letters to insert, remove or replace; by rows, as Wagner and Fischer (1974). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const above = row
    row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, above[j]! + 1, row[j - 1]! + 1))
    }
  }
  return row[b.length]!
}

/** An impossible state: a bug of ours, and the message says so. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`This is a bug in threadwise: ${message}`)
}

/** A value as text; for values whose own toString is missing or throws, what the language calls them. */
export function describe(value: unknown): string {
  for (const text of [String, (thing: unknown) => Object.prototype.toString.call(thing)]) {
    try {
      return text(value)
    } catch {
      // Somebody threw an object that throws when it is shown.
    }
  }
  return 'something that cannot be shown'
}

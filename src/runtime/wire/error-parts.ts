// What an error is made of, and how it is read without harm: getters and proxies of foreign objects may throw.

import { isThreadwiseError, reviveThreadwiseError } from '../../errors/errors.js'
import type { ErrorNode } from './encoded-graph.js'

const builtIns: Readonly<Record<string, ErrorConstructor>> = {
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
}

export function isError(value: unknown): value is Error {
  try {
    // Errors of another realm (vm contexts, test runners) are no instances of this realm's Error.
    return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'
  } catch {
    return false // a proxy or a getter that throws
  }
}

/** The node of an error, without what it holds. */
export function emptyNode(error: Error): ErrorNode {
  return {
    base: baseOf(error),
    name: text(read(error, 'name'), 'Error'),
    message: text(read(error, 'message'), ''),
    stack: text(read(error, 'stack'), ''),
    fields: {},
  }
}

/** An error of its built-in class, without what it holds. */
export function createError({ base, message, name }: ErrorNode): Error {
  if (base === 'ThreadwiseError') return reviveThreadwiseError(message)
  if (base === 'DOMException') return new DOMException(message, name)
  if (base === 'AggregateError') return new AggregateError([], message)
  return new (builtIns[base] ?? Error)(message)
}

/** A failing field must not hide the error itself. */
export function read(object: object, key: string): unknown {
  try {
    return (object as Record<string, unknown>)[key]
  } catch {
    return undefined
  }
}

/** Own fields of an error stay visible in logs as they were; name, stack and cause stay hidden as the language has them. */
export function define(error: object, key: string, value: unknown, enumerable: boolean): void {
  Object.defineProperty(error, key, { value, enumerable, writable: true, configurable: true })
}

function baseOf(error: Error): string {
  if (isThreadwiseError(error)) return 'ThreadwiseError'
  if (typeof DOMException === 'function' && error instanceof DOMException) return 'DOMException'
  if (error instanceof AggregateError) return 'AggregateError'
  const found = Object.entries(builtIns).find(([name, type]) => name !== 'Error' && error instanceof type)
  return found ? found[0] : foreignBaseOf(error)
}

/** Of an error of another realm its name must do, as for structured clone. */
function foreignBaseOf(error: Error): string {
  const name = error instanceof Error ? undefined : read(error, 'name')
  return typeof name === 'string' && Object.hasOwn(builtIns, name) ? name : 'Error'
}

function text(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback
}

// What an error is made of, and how it is read without harm: getters and proxies of foreign objects may throw.

import { types } from 'node:util'
import { isThreadwiseError, reviveThreadwiseError } from '../../../errors/errors.js'

type MakeError = (message: string, name: string) => Error

const make =
  (type: new (message: string) => Error): MakeError =>
  (message) =>
    new type(message)

const { SuppressedError } = globalThis as {
  SuppressedError?: new (error: unknown, suppressed: unknown, message: string) => Error
}
type ErrorType = new (message: string) => Error
/** Missing under --jitless. */
const { WebAssembly: assembly } = globalThis as unknown as {
  WebAssembly?: Record<'CompileError' | 'LinkError' | 'RuntimeError', ErrorType>
}

/** The classes that both sides have, the most special first. */
const bases: Readonly<Record<string, MakeError>> = {
  ThreadwiseError: (message) => reviveThreadwiseError(message),
  DOMException: (message, name) => new DOMException(message, name),
  AggregateError: (message) => new AggregateError([], message),
  ...(SuppressedError && {
    SuppressedError: (message: string) => new SuppressedError(undefined, undefined, message),
  }),
  EvalError: make(EvalError),
  RangeError: make(RangeError),
  ReferenceError: make(ReferenceError),
  SyntaxError: make(SyntaxError),
  TypeError: make(TypeError),
  URIError: make(URIError),
  ...(assembly && {
    CompileError: make(assembly.CompileError),
    LinkError: make(assembly.LinkError),
    RuntimeError: make(assembly.RuntimeError),
  }),
  Error: make(Error),
}

export function isError(value: object): value is Error {
  try {
    // Errors of another realm are no instances of this realm's Error; an object that merely extends an error is no native one.
    return types.isNativeError(value) || value instanceof Error || isDomException(value)
  } catch {
    return false // a proxy that throws
  }
}

/** The nearest class that the other side has too. */
export function baseOf(error: Error): string {
  if (isThreadwiseError(error)) return 'ThreadwiseError'
  if (isDomException(error)) return 'DOMException'
  const global = globalThis as unknown as Record<string, unknown>
  for (const name of Object.keys(bases)) {
    const type = global[name] ?? (assembly as Record<string, unknown> | undefined)?.[name]
    if (name !== 'Error' && typeof type === 'function' && error instanceof type) return name
  }
  // Of an error of another realm its name must do, as for structured clone.
  const name = error instanceof Error ? undefined : readField(error, 'name')
  return typeof name === 'string' && Object.hasOwn(bases, name) && name !== 'ThreadwiseError' ? name : 'Error'
}

/** Whether this is the prototype of one of these classes, of whichever realm. */
export function isOfPlatform(prototype: object): boolean {
  if (!Object.hasOwn(prototype, 'message')) return false
  const type = readField(prototype, 'constructor')
  return typeof type === 'function' && Object.hasOwn(bases, type.name)
}

/** An error of this class, without what it holds. No trace is collected, where Error is not frozen: it would be thrown away. */
export function createError(base: string, message: string, name: string): Error {
  const limit = Error.stackTraceLimit
  Reflect.set(Error, 'stackTraceLimit', 0)
  try {
    return (Object.hasOwn(bases, base) ? bases[base]! : bases.Error!)(message, name)
  } finally {
    Reflect.set(Error, 'stackTraceLimit', limit)
  }
}

/** A failing field must not hide the error itself. */
export function readField(object: object, key: string): unknown {
  try {
    return (object as Record<string, unknown>)[key]
  } catch {
    return undefined
  }
}

export function defineField(object: object, key: string, value: unknown, enumerable: boolean): void {
  Object.defineProperty(object, key, { value, enumerable, writable: true, configurable: true })
}

function isDomException(value: object): boolean {
  return Object.prototype.toString.call(value) === '[object DOMException]' && value instanceof DOMException
}

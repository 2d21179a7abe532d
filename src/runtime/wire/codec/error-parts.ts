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

/** What travels on its own, or is no field. */
const APART = new Set(['name', 'message', 'stack'])

export interface Field {
  readonly key: string
  readonly value: unknown
  readonly isShown: boolean
}

/** All its own, hidden ones too, a cause that its class has, and the rest of what its class says where the other side has no such class. */
export function fieldsOf(error: Error, isRegistered: boolean): Field[] {
  const fields = ownFieldsOf(error)
  return isRegistered ? fields : [...fields, ...fieldsOfClass(error)]
}

function ownFieldsOf(error: Error): Field[] {
  const fields: Field[] = []
  for (const key of ownNames(error)) {
    const isShown = Object.prototype.propertyIsEnumerable.call(error, key)
    // A name or message that the class shows among its fields stays shown.
    if (!APART.has(key) || (key !== 'stack' && isShown))
      fields.push({ key, value: readField(error, key), isShown })
  }
  if (!fields.some(({ key }) => key === 'cause') && hasField(error, 'cause'))
    fields.push({ key: 'cause', value: readField(error, 'cause'), isShown: false })
  return fields
}

/** What its class says by getters and constants, such as its `code`: the other side has no such class. */
function fieldsOfClass(error: Error): Field[] {
  const fields = new Map<string, Field>()
  for (const type of ownClassesOf(error)) {
    for (const key of ownNames(type)) {
      if (key === 'constructor' || key === 'cause' || APART.has(key)) continue
      if (fields.has(key) || hasOwn(error, key)) continue
      const value = readOfClass(error, key)
      if (value !== undefined && typeof value !== 'function') fields.set(key, { key, value, isShown: false })
    }
  }
  return [...fields.values()]
}

/** Of an heir of the error: a getter may keep what it gives as a field of the object that it is asked of, as those of zod do. */
function readOfClass(error: Error, key: string): unknown {
  try {
    return (Object.create(error) as Record<string, unknown>)[key]
  } catch {
    return readField(error, key) // it reads a private field, which heirs do not have
  }
}

/** The prototypes between an error and that of the platform's class. */
function ownClassesOf(error: Error): object[] {
  const found: object[] = []
  if (isThreadwiseError(error)) return found
  try {
    let type = Object.getPrototypeOf(error) as object | null
    for (; type !== null && !isOfPlatform(type); type = Object.getPrototypeOf(type) as object | null)
      found.push(type)
  } catch {
    // a proxy
  }
  return found
}

function hasOwn(error: Error, key: string): boolean {
  try {
    return Object.hasOwn(error, key)
  } catch {
    return true // a proxy
  }
}

function ownNames(error: object): readonly string[] {
  try {
    return Object.getOwnPropertyNames(error)
  } catch {
    return [] // a proxy
  }
}

/** Also one that its class has: a getter, for instance. */
function hasField(error: Error, key: string): boolean {
  try {
    return key in error
  } catch {
    return false
  }
}

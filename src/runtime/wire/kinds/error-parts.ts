// What an error is made of, and how it is read without harm: getters and proxies of foreign objects may throw.

import { isThreadwiseError } from '../../../errors/errors.js'
import { isOfPlatform } from './error-classes.js'

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

/** What an error says of itself, whatever that is. Each is read once. */
export type Texts = Readonly<Record<'name' | 'message' | 'stack', unknown>>

export function textsOf(error: Error): Texts {
  return {
    name: readField(error, 'name'),
    message: readField(error, 'message'),
    stack: readField(error, 'stack'),
  }
}

/** What travels on its own, or is no field. */
const APART = new Set(['name', 'message', 'stack'])

export interface ErrorField {
  readonly key: string
  readonly value: unknown
  readonly isShown: boolean
}

/** All its own, hidden ones too, a cause that its class has, and the rest of what its class says where the other side has no such class. */
export function fieldsOf(error: Error, isRegistered: boolean, texts: Texts): ErrorField[] {
  const fields = ownFieldsOf(error, texts)
  return isRegistered ? fields : [...fields, ...fieldsOfClass(error)]
}

function ownFieldsOf(error: Error, texts: Texts): ErrorField[] {
  const fields: ErrorField[] = []
  for (const key of ownNames(error)) {
    const isShown = Object.prototype.propertyIsEnumerable.call(error, key)
    // A name or message that the class shows among its fields stays shown.
    if (!APART.has(key) || (key !== 'stack' && isShown))
      fields.push({ key, value: APART.has(key) ? texts[key as keyof Texts] : readField(error, key), isShown })
  }
  if (!fields.some(({ key }) => key === 'cause') && hasField(error, 'cause'))
    fields.push({ key: 'cause', value: readField(error, 'cause'), isShown: false })
  return fields
}

/** What its class says by getters and constants, such as its `code`: the other side has no such class. */
function fieldsOfClass(error: Error): ErrorField[] {
  const fields = new Map<string, ErrorField>()
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

// Writes an error: what its class, name, message and stack are, and all its own fields, hidden ones too.
//
//   ERROR  text base  text name  text message  text stack  u8 flags  [text class, [value of toData()]]  u32 fields (text key, u8, value)*
//
// What of a field cannot travel is replaced by its text, leaf by leaf (prune.ts): it must not hide the error.

import type { RegisteredClass } from '../../task/register-class.js'
import { isThreadwiseError } from '../../../errors/errors.js'
import { baseOf, isOfPlatform, readField } from './error-parts.js'
import { Pruning } from './prune.js'
import type { Output } from './output.js'
import * as tag from './tags.js'

export const HAS_CLASS = 1
export const HAS_DATA = 2
/** Of a field. */
export const IS_SHOWN = 1

/** What is written on its own, or is no field. */
const APART = new Set(['name', 'message', 'stack'])

export interface ErrorOptions {
  readonly put: (value: unknown) => void
  readonly registered: RegisteredClass | undefined
}

export function writeError(out: Output, error: Error, { put, registered }: ErrorOptions): void {
  const pruning = pruningOf(out)
  if (!pruning.enter()) return put(pruning.textOf(error))
  try {
    const data = registered?.toData && pruning.dataOf(error, registered)
    const hasClass = registered !== undefined && (registered.toData === undefined || data !== undefined)
    out.putTag(tag.ERROR)
    out.putString(baseOf(error))
    for (const [key, fallback] of [['name', 'Error'], ['message', ''], ['stack', '']] as const) out.putString(textOr(readField(error, key), fallback)) // prettier-ignore
    out.putTag((hasClass ? HAS_CLASS : 0) | (data ? HAS_DATA : 0))
    if (hasClass) out.putString(registered.name)
    if (data) put(data.value)
    putFields(out, registered ? fieldsOf(error) : [...fieldsOf(error), ...fieldsOfClass(error)], put)
  } finally {
    pruning.leave()
  }
}

function pruningOf(out: Output): Pruning {
  return (out.pruning ??= new Pruning(out.carrier, out.transfer)) as Pruning
}

function putFields(out: Output, fields: readonly Field[], put: (value: unknown) => void): void {
  out.ensure(0)
  out.view.setUint32(out.at, fields.length, true)
  out.at += 4
  for (const { key, value, isShown } of fields) {
    out.putString(key)
    out.ensure(0)
    out.putTag(isShown ? IS_SHOWN : 0)
    put(pruningOf(out).prune(value))
  }
}

interface Field {
  readonly key: string
  readonly value: unknown
  readonly isShown: boolean
}

function fieldsOf(error: Error): Field[] {
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

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback
}

// Reads what write-objects.ts, write-platform.ts and write-error.ts have written.

import { types } from 'node:util'
import { describe, ThreadwiseError } from '../../../errors/errors.js'
import { isError } from '../../../primitives/any-realm.js'
import { classes, type RegisteredClass } from '../../task/register-class.js'
import { createError } from '../kinds/error-classes.js'
import { defineField } from '../kinds/error-parts.js'
import { Malformed, type Input } from './input.js'
import * as tag from './tags.js'
import { viewTypes } from '../kinds/views.js'
import { HAS_CLASS, HAS_DATA, IS_SHOWN } from './write-error.js'

type Read = (from: Input) => unknown

export const readOther: readonly (readonly [number, Read])[] = [
  [tag.BIG, (from) => bigintOf(from.getText())],
  [tag.SPARSE, readSparse],
  [tag.DATE, (from) => made(from, () => new Date(from.getF64()))],
  [tag.MAP, readMap],
  [tag.SET, readSet],
  [tag.REGEXP, (from) => made(from, () => new RegExp(from.getText(), from.getText()))],
  [tag.BOXED, (from) => made(from, () => Object(from.get()) as unknown)],
  [tag.BUFFER, (from) => made(from, () => readBytes(from).buffer)],
  [tag.BYTES, (from) => made(from, () => readBytes(from))],
  [tag.BYTES_VIEW, (from) => made(from, () => readView(from, (...of) => Buffer.from(...of)))],
  [tag.VIEW, readTyped],
  [tag.BESIDE, (from) => made(from, () => from.besideAt(from.getCount(0)))],
  [tag.URL_TEXT, (from) => made(from, () => new URL(from.getText()))],
  [tag.SEARCH_PARAMS, (from) => made(from, () => new URLSearchParams(from.getText()))],
  [tag.HEADERS, (from) => readPairs(from, new Headers())],
  [tag.FORM_DATA, (from) => readPairs(from, new FormData())],
  [tag.FILE, readFile],
  [tag.CLASS, readData],
  [tag.FIELDS, readFields],
  [tag.ERROR, readError],
]

/** Its number is that of where it begins; it is made of what follows. */
function made<T>(from: Input, make: () => T): T {
  const number = from.reserve()
  return from.keep(number, make())
}

function bigintOf(text: string): bigint {
  return text.startsWith('-') ? -BigInt(`0x${text.slice(1)}`) : BigInt(`0x${text}`)
}

function readSparse(from: Input): unknown[] {
  const items = from.keep(from.reserve(), [] as unknown[])
  items.length = from.getCount(0)
  for (let count = from.getCount(2); count > 0; count--) {
    const key = from.getText()
    if (key === 'length') throw new Malformed('a list has a second length')
    defineField(items, key, from.get(), true)
  }
  return items
}

function readMap(from: Input): Map<unknown, unknown> {
  const map = from.keep(from.reserve(), new Map<unknown, unknown>())
  for (let count = from.getCount(1); count > 1; count -= 2) {
    const key = from.get()
    map.set(key, from.get())
  }
  return map
}

function readSet(from: Input): Set<unknown> {
  const set = from.keep(from.reserve(), new Set<unknown>())
  for (let count = from.getCount(1); count > 0; count--) set.add(from.get())
  return set
}

function readBytes(from: Input): Buffer {
  const length = from.getCount(1)
  return from.copyBytes(from.takeBytes(length), length)
}

function readTyped(from: Input): ArrayBufferView {
  return made(from, () => {
    const Type = viewTypes[from.getByte()]
    if (Type === undefined) throw new Malformed('a kind of view is unknown here')
    return readView(from, (buffer, offset, length) => new Type(buffer, offset, length))
  })
}

type MakeView<T> = (buffer: ArrayBuffer, byteOffset: number, length: number) => T

function readView<T>(from: Input, make: MakeView<T>): T {
  const offset = from.getF64()
  const length = from.getF64()
  const buffer = from.get()
  if (!types.isAnyArrayBuffer(buffer)) throw new Malformed('a view has no buffer')
  return make(buffer as ArrayBuffer, offset, length)
}

function readPairs<T extends Headers | FormData>(from: Input, target: T): T {
  from.keep(from.reserve(), target)
  for (let count = from.getCount(1); count > 1; count -= 2) {
    const name = from.getText()
    target.append(name, from.get() as string)
  }
  return target
}

function readFile(from: Input): File {
  return made(from, () => {
    const name = from.getText()
    const type = from.getText()
    const lastModified = from.getF64()
    return new File([from.get() as Blob], name, { type, lastModified })
  })
}

function readData(from: Input): unknown {
  return made(from, () => {
    const registered = find(from, from.getText())
    const data = from.get()
    return registered?.fromData ? callFromData(from, registered, data) : data
  })
}

function readFields(from: Input): object {
  // Its fields come as a plain object, which has its number.
  const registered = find(from, from.getText())
  const object = from.get() as object
  return registered ? (Object.setPrototypeOf(object, registered.prototype) as object) : object
}

function find({ origin }: Input, name: string): RegisteredClass | undefined {
  const registered = classes.byName.get(name)
  if (!registered && origin) throw new ThreadwiseError('TW_ERR_CLASS_NOT_REGISTERED', { ...origin, name })
  return registered
}

function callFromData({ origin }: Input, { name, fromData }: RegisteredClass, data: unknown): unknown {
  try {
    return fromData!(data)
  } catch (error) {
    if (!origin) return data
    const reason = `fromData() of class ${name} has thrown: ${describe(error)}`
    throw new ThreadwiseError('TW_ERR_NOT_CLONEABLE', { ...origin, reason }, { cause: error })
  }
}

function readError(from: Input): Error {
  const number = from.reserve()
  const [base, name, message, stack] = [from.getText(), from.getText(), from.getText(), from.getText()]
  const flags = from.getByte()
  // Whatever is wrong with its class must not hide the error.
  const registered = flags & HAS_CLASS ? classes.byName.get(from.getText()) : undefined
  const own = flags & HAS_DATA ? ofData(registered, from.get()) : undefined
  const error = from.keep(
    number,
    own ?? ofClass(createError(base, message, name), own ? undefined : registered),
  )
  if (error.name !== name) defineField(error, 'name', name, false)
  defineField(error, 'stack', stack, false)
  for (let count = from.getCount(3); count > 0; count--) {
    const key = from.getText()
    const isShown = (from.getByte() & IS_SHOWN) !== 0
    const value = from.get()
    // An error that was made of data has the fields of its own making.
    if (own === undefined || !Object.hasOwn(error, key)) setOwn(error, key, { value, isShown })
  }
  return error
}

function setOwn(error: Error, key: string, { value, isShown }: { value: unknown; isShown: boolean }): void {
  try {
    defineField(error, key, value, isShown)
  } catch {
    // The class of this version of Node has such a field, and does not let it change.
  }
}

/** Not by its constructor: nobody knows what that asks for. */
function ofClass(error: Error, registered: RegisteredClass | undefined): Error {
  return registered && !registered.toData
    ? (Object.setPrototypeOf(error, registered.prototype) as Error)
    : error
}

function ofData(registered: RegisteredClass | undefined, data: unknown): Error | undefined {
  try {
    const error = registered?.fromData?.(data)
    return isError(error) ? error : undefined
  } catch {
    return undefined // it becomes an error without that class
  }
}

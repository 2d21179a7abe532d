// Writes what is neither a plain object nor a list: collections, buffers, errors, instances, and objects of the platform.
//
// What something is, the platform says (node:util's types, and getters of its own prototypes): an object of another realm, as in Jest
// or node:vm, is no instance of this realm's classes.

import { types } from 'node:util'
import { classes, type RegisteredClass } from '../../task/register-class.js'
import { describe } from '../../../errors/errors.js'
import { Apart } from './apart.js'
import { isError } from '../../../primitives/any-realm.js'
import { NotSendable } from './not-sendable.js'
import { KNOWN, type Output } from './output.js'
import { ownField, platformObjectOf } from '../kinds/platform.js'
import { markCopy, takeExactMemory } from './spare-memory.js'
import * as tag from './tags.js'
import {
  bufferOf,
  isDetached,
  isOutOfBounds,
  isResizable,
  viewBytesOf,
  viewLengthOf,
  viewNumberOf,
  viewOffsetOf,
  viewTypes,
} from '../kinds/views.js'
import { writeError } from './write-error.js'
import { putPlatform, whole } from './write-platform.js'

export function putOther(out: Output, value: object, depth: number): void {
  const prototype: unknown = Object.getPrototypeOf(value)
  const registered = classes.count > 0 ? classes.byPrototype.get(prototype) : undefined
  if (!registered) {
    const kind = byPrototype.get(prototype)
    if (kind?.is(value)) return kind.put(out, value as never, depth)
    if (isKnownToHaveFields(value, prototype)) return putPlainly(out, value, depth)
  }
  if (isError(value)) return writeError(out, value, { depth, registered })
  const items = Apart.itemsOf(value)
  if (items) return putApart(out, items, depth)
  if (registered?.toData) return putData(out, value, registered, depth)
  if (registered) return putFields(out, value, registered.name, depth)
  if (Array.isArray(value)) return out.writers.putList(out, value, depth)
  for (const { is, put } of kinds) if (is(value)) return put(out, value as never, depth)
  if (isMoved(out, value)) return out.putMoved(value)
  const platformObject = platformObjectOf(value)
  if (platformObject) putPlatform(out, value, platformObject, (each) => out.writers.put(out, each, depth + 1))
  else {
    if (prototype !== null) withFields.add(prototype as object)
    putPlainly(out, value, depth)
  }
}

interface Kind {
  readonly classes: readonly { readonly prototype: object }[]
  /** What the platform says of an object, whatever its prototype. */
  readonly is: (value: unknown) => boolean
  readonly put: (out: Output, value: never, depth: number) => void
}

const kinds: readonly Kind[] = [
  { classes: [Date], is: types.isDate, put: putDate },
  { classes: [Map], is: types.isMap, put: putMap },
  { classes: [Set], is: types.isSet, put: putSet },
  { classes: [RegExp], is: types.isRegExp, put: putRegExp },
  { classes: [...viewTypes, Buffer], is: (value) => ArrayBuffer.isView(value), put: putView },
  { classes: [ArrayBuffer], is: types.isArrayBuffer, put: putBuffer },
  { classes: [], is: types.isSharedArrayBuffer, put: putShared },
  { classes: [], is: types.isBoxedPrimitive, put: putBoxed },
]
/** Of an object with such a prototype one question is asked, instead of all. */
const byPrototype = new Map<unknown, Kind>(
  kinds.flatMap((kind) => kind.classes.map(({ prototype }): [unknown, Kind] => [prototype, kind])),
)

/** Prototypes of objects that are nothing but their fields: to find that out takes longer than to write some objects. */
const withFields = new WeakSet<object>()

function isKnownToHaveFields(value: object, prototype: unknown): boolean {
  if (prototype === null ? types.isNativeError(value) : !withFields.has(prototype as object)) return false
  return ownField(value) !== undefined
}

function putPlainly(out: Output, value: object, depth: number): void {
  out.writers.putPlain(out, value as Record<string, unknown>, depth, KNOWN)
}

function putApart(out: Output, items: readonly unknown[], depth: number): void {
  out.putCount(tag.ARRAY, items.length)
  for (let i = 0; i < items.length; i++) {
    out.forget()
    try {
      out.writers.put(out, items[i], depth + 1)
    } catch (error) {
      throw out.writers.within(error, i)
    }
  }
}

/** What toData() gives must not hold the instance: its reader would need it before it is made. */
function putData(out: Output, value: object, registered: RegisteredClass, depth: number): void {
  const data = callToData(registered, value)
  out.putTag(tag.CLASS)
  out.putString(registered.name)
  out.making.push({ instance: value, name: registered.name })
  out.writers.put(out, data, depth + 1)
  out.making.pop()
}

function putFields(out: Output, value: object, name: string, depth: number): void {
  out.putTag(tag.FIELDS)
  out.putString(name)
  out.ensure(0)
  putPlainly(out, value, depth)
}

function putMap(out: Output, map: Map<unknown, unknown>, depth: number): void {
  const items: unknown[] = []
  forEachEntry.call(wholeOrPruned(out, map), (item, key) => items.push(key, item))
  putItems(out, tag.MAP, items, depth)
}

function putSet(out: Output, set: Set<unknown>, depth: number): void {
  putItems(out, tag.SET, [...setValues.call(wholeOrPruned(out, set))], depth)
}

/** Within an error its items are worth more than its other fields. */
function wholeOrPruned<T extends object>(out: Output, value: T): T {
  return out.isPruning ? value : whole(value)
}

function putRegExp(out: Output, value: RegExp): void {
  const ask = (key: string) => Reflect.get(RegExp.prototype, key, whole(value)) as unknown
  const flags = Object.entries(FLAGS).filter(([, key]) => ask(key) === true)
  putTexts(out, tag.REGEXP, ask('source') as string, flags.map(([flag]) => flag).join(''))
}

/** Each by itself: `flags` asks the object, whose class may say something else. */
const FLAGS = {
  d: 'hasIndices',
  g: 'global',
  i: 'ignoreCase',
  m: 'multiline',
  s: 'dotAll',
  u: 'unicode',
  v: 'unicodeSets',
  y: 'sticky',
}

function putItems(out: Output, which: number, items: readonly unknown[], depth: number): void {
  out.putCount(which, items.length)
  for (let i = 0; i < items.length; i++) {
    try {
      out.writers.put(out, items[i], depth + 1)
    } catch (error) {
      throw out.writers.within(error, which === tag.MAP ? i >> 1 : i)
    }
  }
}

function putView(out: Output, view: ArrayBufferView, depth: number): void {
  const buffer = bufferOf(view)
  if (isResizable(buffer) && isOutOfBounds(view))
    throw new NotSendable('a view that its buffer has become too short for')
  if (isResizable(buffer)) return putBesideOnly(out, view, 'a view of a buffer that can be resized')
  if (Buffer.isBuffer(view) && !types.isSharedArrayBuffer(buffer) && !isMoved(out, buffer))
    return putBytes(out, view)
  out.putTag(Buffer.isBuffer(view) ? tag.BYTES_VIEW : tag.VIEW)
  if (!Buffer.isBuffer(view)) out.putTag(viewNumberOf(view))
  out.putF64(viewOffsetOf(view))
  out.putF64(viewLengthOf(view))
  out.writers.put(out, buffer, depth + 1)
}

// Not what an object says of itself: a subclass may have another.
const forEachEntry = Map.prototype.forEach // eslint-disable-line @typescript-eslint/unbound-method
const setValues = Set.prototype.values // eslint-disable-line @typescript-eslint/unbound-method
const getTime = Date.prototype.getTime // eslint-disable-line @typescript-eslint/unbound-method

export function callToData({ name, toData }: RegisteredClass, instance: object): unknown {
  try {
    return toData!(instance)
  } catch (error) {
    throw new NotSendable(
      `an instance that cannot be sent: toData() of class ${name} has thrown: ${describe(error)}`,
      error,
    )
  }
}

function putDate(out: Output, value: Date): void {
  out.putTag(tag.DATE)
  out.putF64(getTime.call(whole(value)))
}

function putTexts(out: Output, which: number, ...texts: readonly string[]): void {
  out.putTag(which)
  for (const text of texts) out.putString(text)
}

function putBoxed(out: Output, value: object): void {
  if (types.isNumberObject(value)) {
    out.putTag(tag.BOXED)
    out.putTag(tag.F64)
    return out.putF64(Number.prototype.valueOf.call(value))
  }
  if (types.isSymbolObject(value)) throw new NotSendable('a boxed symbol')
  out.putTag(tag.BOXED)
  if (types.isStringObject(value)) return out.putString(String.prototype.valueOf.call(value))
  if (types.isBooleanObject(value))
    return out.putTag(Boolean.prototype.valueOf.call(value) ? tag.TRUE : tag.FALSE)
  const inner = BigInt.prototype.valueOf.call(value)
  putTexts(out, tag.BIG, inner < 0n ? `-${(-inner).toString(16)}` : inner.toString(16))
}

function isMoved(out: Output, buffer: object): boolean {
  return out.carrier.objects && out.isTransferred(buffer)
}

function putBuffer(out: Output, buffer: ArrayBuffer): void {
  if (isResizable(buffer)) return putBesideOnly(out, buffer, 'a buffer that can be resized')
  if (isDetached(buffer)) throw new NotSendable('an ArrayBuffer that was moved before')
  if (isMoved(out, buffer)) return out.putMoved(buffer)
  const source = new Uint8Array(buffer) // with its true length, whatever the buffer says
  if (source.length >= out.carrier.besideFrom)
    return out.putMoved(out.carrier.isOwned ? source : copyOf(source))
  out.putBytes(tag.BUFFER, source, source.length)
}

/** Its own bytes only: the memory behind it may hold what is none of its reader's business. */
function putBytes(out: Output, bytes: Uint8Array): void {
  const length = viewBytesOf(bytes)
  if (isDetached(bufferOf(bytes))) throw new NotSendable('a Buffer that was moved before')
  if (length >= out.carrier.besideFrom) {
    if (out.carrier.isOwned) return out.putMoved(bytes)
    out.putTag(tag.BYTES_VIEW)
    out.putF64(0)
    out.putF64(length)
    return out.putNumbered(copyOf(bytes), true) // another object: this one has its number
  }
  out.putBytes(tag.BYTES, bytes, length)
}

/** Not slice(): that fills its memory with zeros first. */
function copyOf(bytes: Uint8Array): ArrayBuffer {
  const copy = takeExactMemory(viewBytesOf(bytes))
  new Uint8Array(copy).set(bytes)
  return markCopy(copy)
}

function putShared(out: Output, buffer: SharedArrayBuffer): void {
  putBesideOnly(out, buffer, 'a SharedArrayBuffer')
}

/** Only a message between threads keeps what ties it to others. */
function putBesideOnly(out: Output, value: object, what: string): void {
  if (!out.carrier.objects) throw new NotSendable(`${what}, which only threads can be given`)
  if (out.isTransferred(value)) out.putMoved(value)
  else out.putBeside(value)
}

// Writes a value as bytes, in one walk: what structured clone keeps, and more; tags.ts has the format.
//
//   put -- number, text ...        here
//    '-- putObject -- plain        here: the keys of an object are a walk through the tree of shapes
//              |----- list         here
//              '----- other        write-objects.ts: Map, Date, buffers, errors, objects of the platform
//
// What is taken, how it is known, and what of it is refused. Nothing is known by its name or by `instanceof`: an object may have any name, and any realm.
//
//   value                                   known by                                                  refused where
//   ------------------------------------    ------------------------------------------------------    -----------------------------------------------
//   text, number, bigint, boolean, ...      typeof                                                    a function, a symbol
//   list                                    Array.isArray                                             (holes and named fields travel too)
//   error                                   types.isNativeError; a built-in error class of any        nothing: what cannot travel of it is text
//                                           realm above it; DOMException answers for it
//   instance of a registered class          its prototype, in the registry                            its toData() throws, or holds the instance
//   Date, Map, Set, RegExp                  types.isDate, ...                                         it has fields of its own
//   boxed primitive                         types.isBoxedPrimitive                                    a symbol
//   typed array, DataView, Buffer           ArrayBuffer.isView; which, by the getter of all of them,  its buffer was moved, or is too short for it
//                                           and a Buffer by its prototype, which is all that it has
//   ArrayBuffer, SharedArrayBuffer          types.isArrayBuffer, ...                                  moved before; shared or resizable, to a process
//   what is in transfer, or in move()       the list, the mark                                        to a process, unless it is an ArrayBuffer
//   URL, URLSearchParams, Headers,          their class answers for it                                it has fields of its own
//     FormData, File, Blob, keys of crypto    (kinds/platform.ts)                                     the last three: to a process
//   MessagePort, web stream                 their class answers for it                                always, unless it is moved
//   Promise, WeakMap, generator, ...        types.isPromise, ...                                      always
//   object without fields                   Object.keys                                               structured clone makes a plain object of it, and it is
//                                                                                                     none; else it goes beside, to a thread
//   object with fields, with any class      all others                                                its methods on, emit and removeListener: it emits events
//   any                                                                                               nested more than 1000 levels deep; larger than 2 GB

import { hasOnlyItems } from '../kinds/array-keys.js'
import { asNotSendable, NotSendable } from './not-sendable.js'
import { CAREFUL, FAST, KNOWN, Output, type Carrier, type MovedObjects, type PlainKind } from './output.js'
import { branch } from './shapes.js'
import { checkWhole, fieldsOf, prune, Pruned, putPruned, putText } from './prune.js'
import * as tag from './tags.js'
import { MIN_NUMBERS, putListHead, putNumber, putNumbers, putNumbersAlone } from './write-numbers.js'
import { putOther } from './write-objects.js'

/** Levels of objects in objects. A reader takes some stack for each. */
const MAX_DEPTH = 1000
/** Holes of a list, which may have four thousand million, before only those items are looked at that exist. */
const MAX_HOLES = 10_000

const objectPrototype: unknown = Object.prototype
const arrayPrototype: unknown = Array.prototype
const toText = Object.prototype.toString // eslint-disable-line @typescript-eslint/unbound-method

export interface WriteOptions {
  /**
   * Of a page, where a value is large and plain: 'itself' as it is sent before anything else happens, or a 'clone' of it. Default: a copy as of other values.
   */
  readonly large?: 'itself' | 'clone' | undefined
  /** Of a page: who waits while a large value is looked at is the page, see looks-plain.ts. */
  readonly isHasty?: boolean | undefined
  readonly carrier: Carrier
  /** Objects that are moved instead of copied. */
  readonly transfer?: MovedObjects | undefined
}

const free: Output[] = []
const writers = { put, putNew, putPlain, putList, within }
const NOTHING = {}

/**
 * Writes a value. `use` is given the output, with its bytes from 0 to the given length, and what goes beside them; none of it may be
 * used afterwards. Getters of the value may write other values meanwhile.
 *
 * @throws NotSendable
 */
export function writeValue<R>(
  value: unknown,
  options: WriteOptions,
  use: (out: Output, length: number) => R,
): R {
  const out = free.pop() ?? new Output(writers)
  try {
    return use(out, write(out, value, options))
  } finally {
    out.end()
    free.push(out)
  }
}

function write(out: Output, value: unknown, { carrier, transfer }: WriteOptions): number {
  out.carrier = carrier
  out.transfer = transfer
  out.isCareful = hasFields(NOTHING) // somebody has extended Object.prototype
  out.begin()
  const given = Pruned.valueOf(value)
  try {
    if (given === value) put(out, value, 0)
    else prune(out, () => put(out, given, 0))
    return out.finish()
  } catch (error) {
    throw asNotSendable(error)
  }
}

function hasFields(object: object): boolean {
  for (const key in object) return key !== undefined
  return false
}

function put(out: Output, value: unknown, depth: number): void {
  if (out.at + 32 > out.limit) out.ensure(0)
  switch (typeof value) {
    case 'string':
      return out.putString(value)
    case 'number':
      return putNumber(out, value)
    case 'object':
      return value === null ? out.putTag(tag.NULL) : putObject(out, value, depth)
    case 'boolean':
      return out.putTag(value ? tag.TRUE : tag.FALSE)
    case 'undefined':
      return out.putTag(tag.UNDEFINED)
    case 'bigint':
      return putBigint(out, value)
    case 'function':
      return putUnsendable(out, value, 'a function')
    default:
      return putUnsendable(out, value, 'a symbol')
  }
}

function putUnsendable(out: Output, value: unknown, what: string): void {
  if (!out.isPruning) throw new NotSendable(what)
  putText(out, value)
}

function putBigint(out: Output, value: bigint): void {
  if (BigInt.asIntN(64, value) === value) {
    out.putTag(tag.I64)
    out.view.setBigInt64(out.at, value, true)
    out.at += 8
  } else {
    out.putTag(tag.BIG)
    out.putString(value < 0n ? `-${(-value).toString(16)}` : value.toString(16))
  }
}

function putObject(out: Output, value: object, depth: number): void {
  if (out.isPruning) return putPruned(out, value, depth)
  if (!out.putKnown(value)) putNew(out, value, depth)
  else if (out.pruning !== undefined) checkWhole(out, value, depth)
}

function putNew(out: Output, value: object, depth: number): void {
  if (depth > MAX_DEPTH) throw new NotSendable(`nested more than ${MAX_DEPTH} levels deep`)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === objectPrototype) putPlain(out, value as Fields, depth, out.isCareful ? CAREFUL : FAST)
  else if (prototype === arrayPrototype && Array.isArray(value)) putList(out, value, depth)
  else putOther(out, value, depth)
}

type Fields = Record<string, unknown>

/** With the prototype of a plain object it may be an `arguments` object, or a date, all the same; or what it holds is hidden. */
function isPretending(value: object, isEmpty: boolean): boolean {
  return toText.call(value) !== '[object Object]' || (isEmpty && Reflect.ownKeys(value).length > 0)
}

function putPlain(out: Output, given: Fields, depth: number, how: PlainKind): void {
  const value = out.isPruning ? fieldsOf(given) : given
  const head = out.at
  out.bytes[head] = tag.OBJECT
  out.at += 3
  let node = out.shapeRoot()
  let count = 0
  /** Where the number of those fields stands whose keys are written with them. */
  let moreAt = 0
  let key = ''
  try {
    for (key in value) {
      if (how !== FAST && !Object.hasOwn(value, key)) continue
      if (count === 0 && key === '0' && moreAt === 0 && how !== KNOWN && isPretending(value, false))
        return putPretender(out, value, { head, depth })
      if (moreAt === 0) {
        const next = node.key === key ? node.next : branch(node, key)
        if (next !== null) node = next
        else {
          out.bytes[head] = tag.OBJECT_MORE
          moreAt = out.at
          out.at += 4
          count = 0
        }
      }
      if (moreAt !== 0) out.putString(key)
      count++
      put(out, value[key], depth + 1)
    }
  } catch (error) {
    throw within(error, key)
  }
  if (count === 0 && moreAt === 0 && how !== KNOWN && isPretending(value, true))
    return putPretender(out, value, { head, depth })
  const number = out.shapeNumber(node)
  out.bytes[head + 1] = number
  out.bytes[head + 2] = number >> 8
  if (moreAt !== 0) out.view.setUint32(moreAt, count, true)
}

function putPretender(out: Output, value: Fields, { head, depth }: { head: number; depth: number }): void {
  out.at = head
  putOther(out, value, depth)
}

function putList(out: Output, given: readonly unknown[], depth: number): void {
  const list = out.isPruning ? fieldsOf(given) : given
  const { length } = list
  if (out.isCareful ? Object.keys(list).length !== length || !hasOnlyItems(list) : !hasOnlyItems(list))
    return putSparse(out, list, depth)
  const head = out.at
  let i = 0
  let item = length > 0 ? list[0] : undefined
  if (length >= MIN_NUMBERS && typeof item === 'number') {
    i = putNumbers(out, list, item)
    if (i === length) return
    item = putNumbersAlone(out, i, { head, length })
  } else putListHead(out, length)
  let holes = 0
  try {
    while (i < length) {
      if (item !== undefined || Object.hasOwn(list, i)) put(out, item, depth + 1)
      else if (++holes > MAX_HOLES) return putGaps(out, list, { head, from: i, depth })
      else {
        if (out.at + 32 > out.limit) out.ensure(0)
        out.putTag(tag.HOLE)
      }
      if (++i < length) item = list[i]
    }
  } catch (error) {
    throw within(error, i)
  }
}

interface Gaps {
  readonly head: number
  readonly from: number
  readonly depth: number
}

/** Goes on by the keys. They are those of items alone, in order. */
function putGaps(out: Output, list: readonly unknown[], { head, from, depth }: Gaps): void {
  const { length } = list
  out.bytes[head] = tag.GAPS
  let next = from
  for (const key of Object.keys(list)) {
    const i = Number(key)
    if (i < from || !(i < length)) continue
    putHoles(out, i - next)
    try {
      put(out, list[i], depth + 1)
    } catch (error) {
      throw within(error, i)
    }
    next = i + 1
  }
  putHoles(out, length - next)
}

function putHoles(out: Output, count: number): void {
  out.ensure(0)
  if (count > 0) out.putCount(tag.HOLES, count)
}

/** A list by its keys: it has holes, or other fields. */
function putSparse(out: Output, list: readonly unknown[], depth: number): void {
  const keys = Object.keys(list)
  out.putCount(tag.SPARSE, list.length)
  out.view.setUint32(out.at, keys.length, true)
  out.at += 4
  for (const key of keys) {
    out.putString(key)
    try {
      put(out, list[key as never], depth + 1)
    } catch (error) {
      throw within(error, /^\d+$/.test(key) ? Number(key) : key)
    }
  }
}

function within(error: unknown, step: string | number): unknown {
  return asNotSendable(error).within(step)
}

// Writes a value as bytes, in one walk: what structured clone keeps, and more; tags.ts has the format.
//
//   put -- number, text ...        here
//    '-- putObject -- plain        here: the keys of an object are a walk through the tree of shapes
//              |----- list         here
//              '----- other        write-objects.ts: Map, Date, buffers, errors, objects of the platform

import { hasOnlyItems } from './array-keys.js'
import { asNotSendable, NotSendable } from './not-sendable.js'
import { CAREFUL, FAST, KNOWN, Output, RESTART, type Carrier, type Moved, type PlainKind } from './output.js'
import { branch, shapeRoot } from './shapes.js'
import * as tag from './tags.js'
import { putOther } from './write-objects.js'

/** Levels of objects in objects. A reader takes some stack for each. */
const MAX_DEPTH = 1000
/** From so many numbers on a list of nothing else has a form of its own. */
const MIN_NUMBERS = 4
/** Holes of a list, which may have four thousand million, before only those items are looked at that exist. */
const MAX_HOLES = 10_000
const SOME_NUMBERS = 65_536

const objectPrototype: unknown = Object.prototype
const arrayPrototype: unknown = Array.prototype
const toText = Object.prototype.toString // eslint-disable-line @typescript-eslint/unbound-method

export interface WriteOptions {
  readonly carrier: Carrier
  /** Objects that are moved instead of copied. */
  readonly transfer?: Moved | undefined
}

const free: Output[] = []
const writers = { put, putPlain, putList, within }
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
  out.isMixed = false
  out.isCareful = hasFields(NOTHING) // somebody has extended Object.prototype
  for (;;) {
    out.begin()
    try {
      put(out, value, 0)
      return out.finish()
    } catch (error) {
      if (error !== RESTART) throw asNotSendable(error)
    }
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
      throw new NotSendable('a function')
    default:
      throw new NotSendable('a symbol')
  }
}

function putNumber(out: Output, value: number): void {
  const { bytes, at } = out
  if ((value | 0) !== value || (value === 0 && 1 / value < 0)) {
    bytes[at] = tag.F64
    out.view.setFloat64(at + 1, value, true)
    out.at += 9
  } else if (value >= 0 && value < tag.SMALL_INTEGERS) {
    bytes[at] = value
    out.at++
  } else if (value >= 0 && value <= 0xffff) {
    bytes[at] = tag.U16
    bytes[at + 1] = value
    bytes[at + 2] = value >> 8
    out.at += 3
  } else {
    bytes[at] = tag.I32
    out.view.setInt32(at + 1, value, true)
    out.at += 5
  }
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
  if (depth > MAX_DEPTH) throw new NotSendable(`nested more than ${MAX_DEPTH} levels deep`)
  if (out.putKnown(value)) return
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

function putPlain(out: Output, value: Fields, depth: number, how: PlainKind): void {
  const head = out.at
  out.bytes[head] = tag.OBJECT
  out.at += 3
  let node = shapeRoot()
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

function putList(out: Output, list: readonly unknown[], depth: number): void {
  const { length } = list
  if (out.isCareful ? Object.keys(list).length !== length || !hasOnlyItems(list) : !hasOnlyItems(list))
    return putSparse(out, list, depth)
  if (
    length >= MIN_NUMBERS &&
    typeof list[0] === 'number' &&
    (putNumbers(out, list, INTEGERS) || putNumbers(out, list, DOUBLES))
  )
    return
  if (length > 0xff) out.putCount(tag.ARRAY, length)
  else {
    out.bytes[out.at] = tag.ARRAY8
    out.bytes[out.at + 1] = length
    out.at += 2
  }
  let i = 0
  let holes = 0
  try {
    for (; i < length; i++) {
      const item = list[i]
      if (item !== undefined || Object.hasOwn(list, i)) put(out, item, depth + 1)
      else if (++holes > MAX_HOLES) restartCarefully(out)
      else {
        if (out.at + 32 > out.limit) out.ensure(0)
        out.putTag(tag.HOLE)
      }
    }
  } catch (error) {
    throw within(error, i)
  }
}

/** Another time lists with holes are written by their keys. */
function restartCarefully(out: Output): never {
  out.isCareful = true
  throw RESTART
}

/** Numbers of one kind, each of which takes as many bytes. */
interface NumberKind {
  readonly tag: number
  readonly bytes: number
  /** False: some item is of another kind. */
  readonly put: (out: Output, list: readonly unknown[], from: number, to: number) => boolean
}

const INTEGERS: NumberKind = { tag: tag.INTS, bytes: 4, put: putIntegers }
const DOUBLES: NumberKind = { tag: tag.FLOATS, bytes: 8, put: putDoubles }

/** False: some item is of another kind. */
function putNumbers(out: Output, list: readonly unknown[], kind: NumberKind): boolean {
  const { length } = list
  const start = out.at
  out.at += 5
  // Room for some at a time: behind a number there may be nothing but holes.
  for (let from = 0; from < length; from += SOME_NUMBERS) {
    const to = Math.min(length, from + SOME_NUMBERS)
    out.ensure(kind.bytes * (to - from))
    if (!kind.put(out, list, from, to)) {
      out.at = start
      return false
    }
  }
  const end = out.at
  out.at = start
  out.putCount(kind.tag, length)
  out.at = end
  return true
}

function putIntegers(out: Output, list: readonly unknown[], from: number, to: number): boolean {
  const { view } = out
  let { at } = out
  for (let i = from; i < to; i++, at += 4) {
    const item = list[i]
    if (typeof item !== 'number' || (item | 0) !== item || (item === 0 && 1 / item < 0)) return false
    view.setInt32(at, item, true)
  }
  out.at = at
  return true
}

function putDoubles(out: Output, list: readonly unknown[], from: number, to: number): boolean {
  const { view } = out
  let { at } = out
  for (let i = from; i < to; i++, at += 8) {
    const item = list[i]
    if (typeof item !== 'number') return false
    view.setFloat64(at, item, true)
  }
  out.at = at
  return true
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
  return error === RESTART ? error : asNotSendable(error).within(step)
}

// Reads what write-value.ts has written; tags.ts has the format. It never trusts the bytes: whatever they are, it gives a value or
// throws, and takes no more memory than they could ask for.
//
// Texts are cut out of a larger one that is read by one call into native code. Such a window is small: V8 keeps all of it alive for as
// long as somebody holds a text of 13 characters or more that was cut out of it.

import { countUse, isDelicate, readShape, type ReadShape } from './shapes.js'
import * as tag from './tags.js'
import { defineField } from '../kinds/error-parts.js'
import { asMalformed, Malformed, type Input, type ValueOrigin } from './input.js'
import { readOther } from './read-objects.js'

const WINDOW = 1024
/** Text of a small value, which is read piece by piece. */
const SMALL_TEXT = 128
/** Up to here a loop is faster than a call into native code. */
const LOOP_TEXT = 20

// Where the value that is being read lies. State of the module, not an object: what each function would have to look up.
const NO_BYTES: Buffer = Buffer.alloc(0)
const NO_VIEW: DataView = new DataView(NO_BYTES.buffer)
let bytes = NO_BYTES
let view = NO_VIEW
let at = 0
let valuesEnd = 0
let textAt = 0
let textEnd = 0
let window = ''
let windowAt = 0
let windowEnd = 0
/** The characters of the text part that take two bytes each, counted as if they took one; as all positions of text are. */
let wideFrom = 0
let wideTo = 0
/** Those of this message come first. Never shortened: see output.ts. */
let shapes: (ReadShape | undefined)[] = []
let shapeCount = 0
let hasRefs = false
let objects: unknown[] = []
let beside: readonly unknown[] = []
let origin: ValueOrigin | undefined

/** What the readers of other kinds may use of it. */
const input: Input = {
  get,
  getText,
  getCount,
  getF64,
  getByte: () => bytes[at++]!,
  takeBytes,
  reserve: () => (hasRefs ? objects.push(undefined) - 1 : -1),
  keep,
  besideAt,
  copyBytes,
  get origin() {
    return origin
  },
}

/**
 * The value whose bytes begin at `from`, and end at `to` or before. Copies everything: the memory may be used again at once.
 *
 * @param memory bytes and their view, of the same memory
 * @param others what has travelled beside the bytes
 * @throws Malformed, and what is wrong with a registered class
 */
export function readValue(
  memory: { readonly bytes: Buffer; readonly view: DataView },
  { from, to }: { readonly from: number; readonly to: number },
  others: readonly unknown[],
  of?: ValueOrigin,
): unknown {
  const saved = isReading ? saveState() : undefined // fromData() of a class may receive a value
  isReading = true
  try {
    begin(memory, from, to)
    beside = others
    origin = of
    const value = get()
    if (at !== valuesEnd) throw new Malformed('the values do not end where they should')
    return value
  } catch (error) {
    throw asMalformed(error)
  } finally {
    window = ''
    windowEnd = 0
    bytes = NO_BYTES // they may be large
    view = NO_VIEW
    if (hasRefs) objects = []
    beside = NOTHING
    isReading = false
    if (saved) restoreState(saved)
  }
}

let isReading = false
const NOTHING: readonly unknown[] = []

function begin(memory: { readonly bytes: Buffer; readonly view: DataView }, from: number, to: number): void {
  ;({ bytes, view } = memory)
  if (to - from < tag.HEADER || to > bytes.length) throw new Malformed('it is too short')
  const first = view.getUint32(from, true)
  valuesEnd = from + view.getUint32(from + 4, true)
  textEnd = from + view.getUint32(from + 8, true)
  if (valuesEnd > textEnd || textEnd > to || valuesEnd < from + tag.HEADER)
    throw new Malformed('its lengths are wrong')
  at = from + tag.HEADER
  textAt = valuesEnd
  windowAt = windowEnd = 0
  const flags = first >>> 16
  const shapesFrom = textEnd
  hasRefs = (flags & tag.HAS_REFS) !== 0
  if ((flags & tag.HAS_WIDE) !== 0) beginWide()
  else wideFrom = wideTo = Infinity
  if (shapeCount > 0 || (first & 0xffff) > 0) beginShapes(first & 0xffff, shapesFrom, to)
}

function beginWide(): void {
  const end = textEnd - tag.WIDE_BYTES
  if (end < valuesEnd) throw new Malformed('its lengths are wrong')
  wideFrom = valuesEnd + view.getUint32(end, true)
  wideTo = valuesEnd + view.getUint32(end + 4, true)
  textEnd = end - (wideTo - wideFrom)
  if (wideFrom >= wideTo || wideTo > textEnd) throw new Malformed('its lengths are wrong')
}

function beginShapes(count: number, from: number, end: number): void {
  shapeCount = 0
  for (let i = 0; i < count; i++) {
    const shape = readShape(bytes, from, end)
    if (shape === undefined) throw new Malformed('a shape is wrong')
    shapes[shapeCount++] = shape
    from += shape.bytes.length
  }
}

function get(): unknown {
  if (at >= valuesEnd) throw new Malformed('it ends too early')
  const which = bytes[at++]!
  if (which < tag.SMALL_INTEGERS) return which
  if (which < 2 * tag.SHORT_TEXTS) return cutText(which - tag.SHORT_TEXTS)
  switch (which) {
    case tag.OBJECT:
      return getObject()
    case tag.U16:
      at += 2
      return bytes[at - 2]! | (bytes[at - 1]! << 8)
    case tag.F64:
      return getF64()
    case tag.TRUE:
      return true
    case tag.FALSE:
      return false
    case tag.NULL:
      return null
    case tag.UNDEFINED:
      return undefined
    case tag.ARRAY8:
      return getItems(bytes[at++]!)
    default:
      return (readers[which - FIRST_TAG] ?? unknownTag)()
  }
}

const FIRST_TAG = tag.NULL
/** By tag. A table, and not more cases: V8 would compile all of these functions into get(). */
const readers: (() => unknown)[] = []
readers[tag.I32 - FIRST_TAG] = getI32
readers[tag.TEXT - FIRST_TAG] = () => cutText(bytes[at++]!)
readers[tag.LATIN1 - FIRST_TAG] = () => {
  const from = takeBytes(getCount(1))
  return bytes.latin1Slice(from, at)
}
readers[tag.UTF16 - FIRST_TAG] = () => {
  const from = takeBytes(getCount(1))
  return bytes.ucs2Slice(from, at)
}
readers[tag.PAD - FIRST_TAG] = get
readers[tag.I64 - FIRST_TAG] = () => {
  at += 8
  return view.getBigInt64(at - 8, true)
}
readers[tag.OBJECT_MORE - FIRST_TAG] = getObjectMore
readers[tag.ARRAY - FIRST_TAG] = () => getItems(getCount(1))
readers[tag.GAPS - FIRST_TAG] = getGaps
readers[tag.INTS - FIRST_TAG] = getIntegers
readers[tag.FLOATS - FIRST_TAG] = getDoubles
readers[tag.REF - FIRST_TAG] = () => {
  const number = getU32()
  if (!hasRefs || number >= objects.length) throw new Malformed('it refers to no object')
  return objects[number]
}
for (const [which, read] of readOther) readers[which - FIRST_TAG] = () => read(input)

function unknownTag(): never {
  throw new Malformed(`the tag ${bytes[at - 1]} is unknown`)
}

function cutText(length: number): string {
  if (length === 0) return ''
  const from = textAt
  textAt += length
  if (textAt > windowEnd) {
    if (textEnd - valuesEnd <= SMALL_TEXT && wideTo === Infinity) return readText(from, length)
    fillWindow(from, length)
  }
  return window.slice(from - windowAt, textAt - windowAt)
}

function fillWindow(from: number, length: number): void {
  // The pieces before, within and behind the two-byte characters; no text lies in two of them.
  const end = from < wideFrom ? Math.min(textEnd, wideFrom) : from < wideTo ? wideTo : textEnd
  if (textAt > end) throw new Malformed('its text ends too early')
  windowAt = from
  windowEnd = Math.min(end, from + Math.max(length, WINDOW))
  if (from < wideFrom) window = bytes.latin1Slice(from, windowEnd)
  else if (from < wideTo) window = bytes.ucs2Slice(2 * from - wideFrom, 2 * windowEnd - wideFrom)
  else window = bytes.latin1Slice(from + wideTo - wideFrom, windowEnd + wideTo - wideFrom)
}

function readText(from: number, length: number): string {
  const end = from + length
  if (end > textEnd) throw new Malformed('its text ends too early')
  if (length > LOOP_TEXT) return bytes.latin1Slice(from, end)
  let text = ''
  let i = from
  // Four at a time: each += makes a string.
  for (; i + 4 <= end; i += 4)
    text += String.fromCharCode(bytes[i]!, bytes[i + 1]!, bytes[i + 2]!, bytes[i + 3]!)
  for (; i < end; i++) text += String.fromCharCode(bytes[i]!)
  return text
}

function getText(): string {
  const text = get()
  if (typeof text !== 'string') throw new Malformed('a text is missing')
  return text
}

function getI32(): number {
  at += 4
  return view.getInt32(at - 4, true)
}

function getU32(): number {
  at += 4
  return view.getUint32(at - 4, true)
}

function getF64(): number {
  at += 8
  return view.getFloat64(at - 8, true)
}

/** A number of parts, each of which takes so many bytes at least. */
function getCount(size: number): number {
  const count = getU32()
  if (count * size > valuesEnd - at) throw new Malformed('a length is too large')
  return count
}

/** Passes so many bytes; returns where they begin. */
function takeBytes(length: number): number {
  at += length
  if (at > valuesEnd) throw new Malformed('it ends too early')
  return at - length
}

/** Notes an object under the number that was reserved for it. */
function keep<T>(number: number, object: T): T {
  if (number >= 0) objects[number] = object
  return object
}

function copyBytes(from: number, length: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(length)
  copy.set(bytes.subarray(from, from + length))
  return copy
}

function besideAt(number: number): unknown {
  if (number >= beside.length) throw new Malformed('something beside it is missing')
  return beside[number]
}

function getObject(): object {
  const number = bytes[at]! | (bytes[at + 1]! << 8)
  at += 2
  const shape = number < shapeCount ? shapes[number] : undefined
  if (shape === undefined) throw new Malformed('a shape is missing')
  if (shape.read !== null && !hasRefs) return shape.read()
  const object: Record<string, unknown> = {}
  const { keys } = shape
  if (hasRefs) objects.push(object)
  else countUse(shape, get)
  if (shape.isDelicate) for (let i = 0; i < keys.length; i++) setField(object, keys[i]!, get())
  else for (let i = 0; i < keys.length; i++) object[keys[i]!] = get()
  return object
}

/** Assigning to `__proto__` would change the prototype, and to `toString` fail where Object.prototype is frozen. */
function setField(object: object, key: string, value: unknown): void {
  if (isDelicate(key)) defineField(object, key, value, true)
  else (object as Record<string, unknown>)[key] = value
}

function getObjectMore(): object {
  const object = getObject()
  for (let count = getCount(2); count > 0; count--) {
    const key = getText()
    setField(object, key, get())
  }
  return object
}

function getItems(count: number): unknown[] {
  if (count > valuesEnd - at) throw new Malformed('a length is too large')
  if (count === 0) return keep(input.reserve(), [])
  const items: unknown[] = [undefined] // of values of any kind from the start: see listOfOne in small-integer.ts
  if (hasRefs) objects.push(items)
  if (bytes[at] === tag.HOLE) items.length = 0
  for (let i = 0; i < count; i++) {
    if (bytes[at] !== tag.HOLE) items[i] = get()
    else {
      at++
      items.length = i + 1
    }
  }
  return items
}

/** A list with many holes, of which no memory is taken for any. */
function getGaps(): unknown[] {
  const items = keep(input.reserve(), [] as unknown[])
  const length = getU32()
  for (let i = 0; i < length; i++) {
    if (at >= valuesEnd) throw new Malformed('it ends too early')
    const which = bytes[at]!
    if (which !== tag.HOLE && which !== tag.HOLES) items[i] = get()
    else {
      at++
      if (which === tag.HOLES) i += getU32() - 1
    }
  }
  items.length = length
  return items
}

function getIntegers(): number[] {
  const count = getCount(4)
  const items = keep(input.reserve(), [] as number[])
  const end = at + 4 * count
  for (; at < end; at += 4) items.push(view.getInt32(at, true))
  return items
}

function getDoubles(): number[] {
  const count = getCount(8)
  const items = keep(input.reserve(), [] as number[])
  const end = at + 8 * count
  for (; at < end; at += 8) items.push(view.getFloat64(at, true))
  return items
}

type State = readonly [
  typeof bytes,
  typeof view,
  number[],
  string,
  typeof shapes,
  boolean,
  unknown[],
  typeof beside,
  typeof origin,
]

function saveState(): State {
  const state: State = [
    bytes,
    view,
    [at, valuesEnd, textAt, textEnd, windowAt, windowEnd, wideFrom, wideTo, shapeCount],
    window,
    shapes,
    hasRefs,
    objects,
    beside,
    origin,
  ]
  shapes = []
  objects = []
  return state
}

function restoreState(state: State): void {
  let numbers: number[]
  ;[bytes, view, numbers, window, shapes, hasRefs, objects, beside, origin] = state
  ;[
    at = 0,
    valuesEnd = 0,
    textAt = 0,
    textEnd = 0,
    windowAt = 0,
    windowEnd = 0,
    wideFrom = 0,
    wideTo = 0,
    shapeCount = 0,
  ] = numbers
  isReading = true
}

// Gives each typed array that came through a pipe memory of its own.
//
// Node reads what has arrived into one ArrayBuffer, and leaves the typed arrays of all messages in it as views of that: whoever moves
// the buffer of one would empty those of other callers, `view.buffer` would show what is none of the reader's business, and a small
// result would hold the memory of all. What structured clone reads itself, such as an ArrayBuffer, has memory of its own.

import { FEW, MAX_HOLES } from './find-special.js'
import { addItems, itemsOf, setField } from './graph-writer.js'

/** Bytes below which slice() is faster, though it fills its memory with zeros first: 0.1 instead of 0.5 µs for 8 bytes, alike for 1000. */
const SMALL = 1024

/** Parts from which on an object that is met again is not read again. */
const MANY = 16

/** Gives the message, in which views were replaced. */
export function ownMemory<Message>(message: Message): Message {
  const owned = new Map<object, object>() // what occurs twice still does so
  const seen = new Set<object>()
  const left: object[] = [] // not recursive: values may be nested deeper than the stack
  const own = (value: object): object => {
    if (!ArrayBuffer.isView(value)) {
      left.push(value)
      return value
    }
    const copy = owned.get(value) ?? copyOf(value)
    owned.set(value, copy)
    return copy
  }
  const root = isObject(message) ? own(message) : message
  for (let part = left.pop(); part; part = left.pop()) {
    if (seen.has(part)) continue
    const before = left.length
    const read = replaceIn(part, own)
    // Only what holds others can be part of a circle, and only what is long takes time to be read again.
    if (left.length > before || read > MANY) seen.add(part)
  }
  return root as Message
}

type Own = (value: object) => object

/** Returns how many parts were looked at. */
function replaceIn(holder: object, own: Own): number {
  if (Array.isArray(holder)) return replaceInList(holder, own)
  if (holder instanceof Map || holder instanceof Set) return replaceItems(holder, own)
  return replaceFields(holder as Record<string, unknown>, own)
}

function replaceInList(list: unknown[], own: Own): number {
  if (list.length <= FEW) return replaceFields(list as unknown as Record<string, unknown>, own)
  let missing = 0
  for (let i = 0; i < list.length; i++) {
    const value = list[i]
    if (isObject(value)) list[i] = own(value)
    else if (value === undefined && ++missing > MAX_HOLES)
      return replaceFields(list as unknown as Record<string, unknown>, own)
  }
  return list.length
}

function replaceFields(holder: Record<string, unknown>, own: Own): number {
  let count = 0
  for (const key in holder) {
    count++
    const value = holder[key]
    if (!isObject(value) || !Object.hasOwn(holder, key)) continue // somebody may have extended Array.prototype
    const replaced = own(value)
    if (replaced !== value) setField(holder, key, replaced)
  }
  return count
}

/** All of them anew, since they must keep their order. */
function replaceItems(holder: Map<unknown, unknown> | Set<unknown>, own: Own): number {
  const items = itemsOf(holder)
  const replaced = items.map((item) => (isObject(item) ? own(item) : item))
  if (!replaced.every((item, i) => Object.is(item, items[i]))) {
    holder.clear()
    addItems(holder, replaced)
  }
  return items.length
}

function copyOf(view: ArrayBufferView): object {
  const { buffer, byteOffset, byteLength } = view
  if (byteLength === buffer.byteLength) return view
  if (byteLength < SMALL && view instanceof Uint8Array && !Buffer.isBuffer(view)) return view.slice()
  const bytes = Buffer.allocUnsafeSlow(byteLength)
  bytes.set(new Uint8Array(buffer, byteOffset, byteLength))
  if (Buffer.isBuffer(view)) return bytes
  const kind = view.constructor as new (buffer: ArrayBuffer) => object
  return new kind(bytes.buffer)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

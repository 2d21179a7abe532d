// Gives each typed array that came through a pipe memory of its own.
//
// Node reads what has arrived into one ArrayBuffer, and leaves the typed arrays of all messages in it as views of that: whoever moves
// the buffer of one would empty those of other callers, `view.buffer` would show what is none of the reader's business, and a small
// result would hold the memory of all. What structured clone reads itself, such as an ArrayBuffer, has memory of its own.

import { addItems, itemsOf, setField } from './graph-writer.js'

/** Bytes below which one copy that is filled with zeros first is faster than memory that is not. */
const SMALL = 16 * 1024

/** Items of a list whose named properties are looked at, as the result of a match() has them: of a long list that takes longer than the rest. */
const FEW = 32

/** Items from which on a list that is met again is not read again. */
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
    replaceIn(part, own)
    // Only what holds others can be part of a circle, and only what is long takes time to be read again.
    if (left.length > before || isLong(part)) seen.add(part)
  }
  return root as Message
}

type Own = (value: object) => object

function replaceIn(holder: object, own: Own): void {
  if (Array.isArray(holder)) replaceInList(holder, own)
  else if (holder instanceof Map || holder instanceof Set) replaceItems(holder, own)
  else replaceFields(holder as Record<string, unknown>, own)
}

function replaceInList(list: unknown[], own: Own): void {
  if (list.length <= FEW) return replaceFields(list as unknown as Record<string, unknown>, own)
  for (let i = 0; i < list.length; i++) {
    const value = list[i]
    if (isObject(value)) list[i] = own(value)
  }
}

function replaceFields(holder: Record<string, unknown>, own: Own): void {
  for (const key in holder) {
    const value = holder[key]
    if (!isObject(value) || !Object.hasOwn(holder, key)) continue // somebody may have extended Array.prototype
    const replaced = own(value)
    if (replaced !== value) setField(holder, key, replaced)
  }
}

/** All of them anew, since they must keep their order. */
function replaceItems(holder: Map<unknown, unknown> | Set<unknown>, own: Own): void {
  const items = itemsOf(holder)
  const replaced = items.map((item) => (isObject(item) ? own(item) : item))
  if (replaced.every((item, i) => Object.is(item, items[i]))) return
  holder.clear()
  addItems(holder, replaced)
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

function isLong(part: object): boolean {
  return (
    (Array.isArray(part) ? part.length : part instanceof Map || part instanceof Set ? part.size : 0) > MANY
  )
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

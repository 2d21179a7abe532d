// move(value): says that the buffers of a value that is about to be sent are not needed here any more, and may be moved instead of copied.
//
// A mark is on the buffer, not on the call: whoever writes a value asks of each buffer in it whether it is marked. The marks are
// shared, as the task context is.

import { isMadeBy, namesAbove } from '../../primitives/platform-class.js'
import { sharedState } from '../../primitives/shared-state.js'

interface Marks {
  readonly buffers: WeakSet<object>
  /** Marks that no value has used up. Those of dropped values stay counted, which costs a look-up and nothing else. */
  open: number
}

const marks = sharedState<Marks>('move', 1, () => ({ buffers: new WeakSet(), open: 0 }))

/** Up to here a list is searched faster than a Set is made. */
const FEW = 8
/** Deeper parts are copied. */
const MAX_DEPTH = 32

/**
 * Marks the ArrayBuffers of a value that is about to be sent, or of a part of it, to be moved instead of copied (`threads` only;
 * elsewhere it does nothing): a result, an item, a progress value, what is thrown, or an argument of a call or a fork. They must not be
 * used afterwards. Gives the value back.
 *
 * @param value an ArrayBuffer, a typed array, a MessagePort, a web stream, or something that holds some: objects, instances of classes,
 * arrays, Map and Set, up to 32 levels deep.
 * @example
 * import { move } from 'threadwise'
 * export const decode = (file) => move(new Uint8Array(readFileSync(file)).slice())
 */
export function move<T>(value: T): T {
  for (const found of transferablesIn(value)) {
    if (marks.buffers.has(found)) continue
    marks.buffers.add(found)
    marks.open++
  }
  return value
}

/** The marked objects; undefined: there are none. */
export function marked(): { has(value: object): boolean } | undefined {
  return marks.open > 0 ? marks.buffers : undefined
}

/** The marked objects, and those that a call names in its `transfer`. */
export function movedWith(
  transfer: readonly unknown[] | undefined,
): { has(value: object): boolean } | undefined {
  const marks = marked()
  if (transfer === undefined) return marks
  const named = transfer.length > FEW ? new Set(transfer) : undefined
  const isNamed = (value: object) => (named ? named.has(value) : transfer.includes(value))
  return { has: (value) => isNamed(value) || marks?.has(value) === true }
}

/** These are being moved: their marks are used up. True if there were any. */
export function useMarks(moved: readonly object[] | undefined): boolean {
  const before = marks.open
  if (before > 0 && moved) for (const each of moved) if (marks.buffers.delete(each)) marks.open--
  return marks.open < before
}

/** Of a value that several receivers get: each has a copy. */
export function unmark(value: unknown): void {
  if (marks.open > 0) useMarks([...transferablesIn(value)])
}

function transferablesIn(value: unknown): Iterable<object> {
  const found = new Set<object>()
  const seen = new Set<object>()
  const search = (part: unknown, depth: number): void => {
    if (typeof part !== 'object' || part === null || depth > MAX_DEPTH || seen.has(part)) return
    seen.add(part)
    if (ArrayBuffer.isView(part)) return search(part.buffer, depth)
    if (isTransferable(part)) found.add(part)
    else for (const item of partsOf(part)) search(item, depth + 1)
  }
  search(value, 0)
  return found
}

/** Classes of what can be moved, and what only their own objects answer. */
const TRANSFERABLE: Readonly<Record<string, string>> = {
  ArrayBuffer: 'byteLength',
  MessagePort: 'hasRef',
  ImageBitmap: 'width',
  OffscreenCanvas: 'width',
  ReadableStream: 'locked',
  WritableStream: 'locked',
  TransformStream: 'readable',
}

function isTransferable(part: object): boolean {
  const types = globalThis as unknown as Record<string, unknown>
  return namesAbove(part).some(
    (name) => Object.hasOwn(TRANSFERABLE, name) && isMadeBy(types[name], TRANSFERABLE[name]!, part),
  )
}

/** What it holds, be it an instance of a class or a collection. */
function partsOf(part: object): Iterable<unknown> {
  const names = namesAbove(part)
  if (names.includes('Map') && isMadeBy(Map, 'size', part)) {
    const parts: unknown[] = []
    Map.prototype.forEach.call(part as Map<unknown, unknown>, (item, key) => parts.push(key, item))
    return parts
  }
  if (names.includes('Set') && isMadeBy(Set, 'size', part)) return Set.prototype.values.call(part)
  return Object.values(part) as unknown[]
}

// move(value): a task's way to say that a result's buffers are not needed any more and may be moved instead of copied.
//
// A mark is on the buffer, not on the call: a result is searched for marked buffers when it is sent, and only while there
// are marks that were not found yet. The marks are shared, as the task context is.

import { sharedState } from '../../primitives/shared-state.js'

interface Marks {
  readonly buffers: WeakSet<object>
  /** Marks that no result has used up. Those of dropped values stay counted, which costs a search and nothing else. */
  open: number
}

const marks = sharedState<Marks>('move', 1, () => ({ buffers: new WeakSet(), open: 0 }))

/** Deeper parts of a result are copied. */
const MAX_DEPTH = 8

/**
 * Marks the ArrayBuffers of a result, or of a part of it, to be moved to the caller instead of copied (`threads` only;
 * elsewhere it does nothing). The task must not use them afterwards. Gives the value back.
 *
 * @param value an ArrayBuffer, a typed array, a MessagePort, or plain objects and arrays that hold some.
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

/** Whether parts of this result are marked. */
export function isMoving(value: unknown): boolean {
  if (marks.open === 0 || typeof value !== 'object' || value === null) return false
  for (const part of transferablesIn(value)) if (marks.buffers.has(part)) return true
  return false
}

/** The marked parts of a result, whose marks are used up with it. Undefined: there are none. */
export function takeMoved(value: unknown): object[] | undefined {
  if (marks.open === 0 || typeof value !== 'object' || value === null) return undefined
  const found = [...transferablesIn(value)].filter((part) => marks.buffers.delete(part))
  marks.open -= found.length
  return found.length > 0 ? found : undefined
}

function transferablesIn(value: unknown): Iterable<object> {
  if (ArrayBuffer.isView(value) && value.buffer instanceof ArrayBuffer) return [value.buffer]
  const found = new Set<object>()
  const search = (part: unknown, depth: number): void => {
    if (typeof part !== 'object' || part === null || depth > MAX_DEPTH) return
    if (part instanceof ArrayBuffer) found.add(part)
    else if (ArrayBuffer.isView(part)) search(part.buffer, depth)
    else if (isPort(part)) found.add(part)
    else if (Array.isArray(part)) for (const item of part) search(item, depth + 1)
    else if (isPlain(part)) for (const item of Object.values(part)) search(item, depth + 1)
  }
  search(value, 0)
  return found
}

function isPort(part: object): boolean {
  return typeof MessagePort === 'function' && part instanceof MessagePort
}

function isPlain(part: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(part)
  return prototype === Object.prototype || prototype === null
}

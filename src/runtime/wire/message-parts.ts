// Which values may travel in one message.
//
// Structured clone keeps what is one object within a message one object. So values of different calls that share a part
// must not share a message: two callers would get the same object, and see what the other does to it.

import { hasOnlyItems } from './array-keys.js'

/** A value in which all buffers are copies, and these: as a transfer list. */
export interface Copied {
  readonly value: unknown
  readonly buffers: readonly ArrayBuffer[]
}

/** For runtimes that move buffers. Undefined: the value goes as it is. */
export type CopyBuffers = (value: unknown) => Copied | undefined

/** Objects that are looked at in one message; a value with more travels alone. */
const MAX_OBJECTS = 256
/** Of an array: to look at more takes longer than a message of its own. */
const MAX_ITEMS = 1024

export class MessageParts {
  /** Made for the first object: most messages hold none that is looked into. */
  #seen: Set<object> | undefined

  /**
   * Notes the parts of a value. False: it shares one with a value that was noted before, or might: other kinds than plain
   * objects, arrays and dates are not looked into. What it accepts needs no encode-classes.ts.
   */
  add(value: unknown): boolean {
    if (typeof value !== 'object' || value === null) return true
    try {
      return this.#note(value)
    } catch {
      return false // a getter, or a proxy
    }
  }

  /** Not by Set.clear(), see runtime/threads/young-collection.ts: it leaves a link from the old table to the new one. */
  clear(): void {
    this.#seen = undefined
  }

  #note(part: unknown): boolean {
    if (typeof part !== 'object' || part === null) return true
    const seen = (this.#seen ??= new Set())
    if (seen.has(part) || seen.size === MAX_OBJECTS) return false
    seen.add(part)
    const prototype: unknown = Object.getPrototypeOf(part)
    if (prototype === Array.prototype) return this.#noteItems(part as unknown[])
    if (prototype === Date.prototype) return true
    if (prototype !== Object.prototype) return false
    for (const key in part) if (!this.#note((part as Record<string, unknown>)[key])) return false
    return true
  }

  #noteItems(items: readonly unknown[]): boolean {
    return items.length <= MAX_ITEMS && hasOnlyItems(items) && items.every((item) => this.#note(item))
  }
}

// What a transfer list must not hold. Up to Node 20 postMessage takes a buffer that was moved before, and sends what nobody can read:
// the other side would lose all that it has. Later versions refuse it, as this does.

/** @throws DataCloneError */
export function checkTransfer(list: readonly unknown[] | undefined): void {
  if (list === undefined) return
  for (let i = 0; i < list.length; i++) {
    const item = list[i]
    if (item instanceof ArrayBuffer && isDetached(item))
      throw new DOMException('An ArrayBuffer in the transfer list was moved before', 'DataCloneError')
  }
}

function isDetached(buffer: ArrayBuffer): boolean {
  if (buffer.byteLength > 0) return false
  try {
    new Uint8Array(buffer)
    return false // it is empty
  } catch {
    return true
  }
}

// Shim for wire/kinds/views.ts: what a view of a buffer is, whatever its class, or the object itself, says of it.

interface ViewConstructor {
  readonly BYTES_PER_ELEMENT?: number
  new (...of: unknown[]): ArrayBufferView
}

interface Resizable {
  readonly resizable?: boolean
  readonly maxByteLength?: number
  resize?(bytes: number): void
}

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object

/** "Uint8Array"; undefined: it is a DataView. */
function nameOf(view: ArrayBufferView): string | undefined {
  return Reflect.get(typedArray, Symbol.toStringTag, view) as string | undefined
}

function ask<T>(view: ArrayBufferView, key: 'buffer' | 'byteLength' | 'byteOffset'): T {
  return Reflect.get(nameOf(view) ? typedArray : DataView.prototype, key, view) as T
}

/** A view of the same kind, over a copy of the buffer. */
export function viewLike(view: ArrayBufferView, buffer: ArrayBufferLike): ArrayBufferView {
  const Type = (globalThis as unknown as Record<string, ViewConstructor>)[nameOf(view) ?? 'DataView']!
  const offset = ask<number>(view, 'byteOffset')
  const items = ask<number>(view, 'byteLength') / (Type.BYTES_PER_ELEMENT ?? 1)
  return new Type(buffer, offset, followsLength(view, offset) ? undefined : items)
}

/** Its length is that of its buffer, which may be resized. No script can tell but by doing that: to a clone. */
function followsLength(view: ArrayBufferView, offset: number): boolean {
  if (!bufferOf(view).resizable) return false
  const clone = structuredClone(view)
  const own = bufferOf(clone)
  own.resize!(offset)
  if (isOutOfBounds(clone)) return false
  own.resize!(own.maxByteLength!) // one of a fixed length of nothing stays that
  return ask<number>(clone, 'byteLength') > 0
}

export function bufferOf(view: ArrayBufferView): ArrayBufferLike & Resizable {
  return ask(view, 'buffer')
}

/** It was moved before. */
export function isDetached(buffer: ArrayBufferLike): boolean {
  if (buffer.byteLength > 0) return false
  try {
    new Uint8Array(buffer)
    return false // it is empty
  } catch {
    return true
  }
}

/** Its buffer has become too short for it: then both throw. */
export function isOutOfBounds(view: ArrayBufferView): boolean {
  try {
    if (nameOf(view)) Uint8Array.prototype.keys.call(view as Uint8Array)
    return ask<number>(view, 'byteLength') < 0
  } catch {
    return true
  }
}

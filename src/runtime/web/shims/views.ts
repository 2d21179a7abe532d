// Shim for wire/kinds/views.ts: what a view of a buffer is, whatever its class, or the object itself, says of it.

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object

const get = <T>(prototype: object, key: PropertyKey, value: object) => Reflect.get(prototype, key, value) as T

/** "Uint8Array"; undefined: it is a DataView. */
function nameOf(view: ArrayBufferView): string | undefined {
  return get(typedArray, Symbol.toStringTag, view)
}

/** A view of the same kind, over a copy of the buffer. */
export function viewLike(view: ArrayBufferView, buffer: ArrayBufferLike): ArrayBufferView {
  const name = nameOf(view) ?? 'DataView'
  const prototype = name === 'DataView' ? DataView.prototype : typedArray
  const Type = (globalThis as unknown as Record<string, new (...of: unknown[]) => ArrayBufferView>)[name]!
  const length = get(prototype, name === 'DataView' ? 'byteLength' : 'length', view)
  return new Type(buffer, get(prototype, 'byteOffset', view), length)
}

export function bufferOf(view: ArrayBufferView): ArrayBufferLike {
  return get(nameOf(view) === undefined ? DataView.prototype : typedArray, 'buffer', view)
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
    if (nameOf(view) === undefined) return get<number>(DataView.prototype, 'byteLength', view) < 0
    Uint8Array.prototype.keys.call(view as Uint8Array)
    return false
  } catch {
    return true
  }
}

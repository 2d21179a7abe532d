// Shim for wire/codec/views.ts.

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
    if (view instanceof DataView) return view.byteLength < 0
    Uint8Array.prototype.keys.call(view as Uint8Array)
    return false
  } catch {
    return true
  }
}

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

// The views through which both sides read and write one piece of shared memory.

export interface Memory {
  readonly words: Int32Array
  readonly doubles: Float64Array
  /** Bytes, and text by its methods. */
  readonly bytes: Buffer
  /** Numbers at any byte, which the typed arrays cannot. Little-endian throughout. */
  readonly view: DataView
}

/**
 * Memory of which the system gives each page when it is written first. What may grow, V8 asks of the system; a plain SharedArrayBuffer
 * comes from malloc, which clears what it had in use before: 105 to 185 KB of each worker's ring.
 */
export function createMemory(bytes: number): SharedArrayBuffer {
  return new SharedArrayBuffer(bytes, { maxByteLength: bytes })
}

export function viewsOf(buffer: SharedArrayBuffer, offset = 0, length = buffer.byteLength - offset): Memory {
  return {
    words: new Int32Array(buffer, offset, length >> 2),
    doubles: new Float64Array(buffer, offset, length >> 3),
    bytes: Buffer.from(buffer, offset, length),
    view: new DataView(buffer, offset, length),
  }
}

/** Up to here a loop is faster than a call into native code. */
const LOOP_BYTES = 64

/** Copies the first bytes of a source. */
export function copyInto(
  target: Buffer,
  at: number,
  source: { readonly bytes: Buffer; readonly length: number },
): void {
  const { bytes, length } = source
  if (length > LOOP_BYTES) bytes.copy(target, at, 0, length)
  else for (let i = 0; i < length; i++) target[at + i] = bytes[i]!
}

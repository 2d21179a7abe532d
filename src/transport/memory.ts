// The views through which both sides read and write one piece of shared memory.

export interface Memory {
  readonly words: Int32Array
  readonly doubles: Float64Array
  /** Bytes, and text by its methods. */
  readonly bytes: Buffer
  /** Numbers at any byte, which the typed arrays cannot. Little-endian throughout. */
  readonly view: DataView
  /** The number by which its reader knows a buffer on shared memory. Without this, such buffers are not for this memory. */
  numberOf: ((buffer: SharedArrayBuffer) => number | undefined) | undefined
  /** The buffer with this number. */
  bufferOf: ((number: number) => SharedArrayBuffer) | undefined
}

export function viewsOf(buffer: SharedArrayBuffer, offset = 0, length = buffer.byteLength - offset): Memory {
  return {
    words: new Int32Array(buffer, offset, length >> 2),
    doubles: new Float64Array(buffer, offset, length >> 3),
    bytes: Buffer.from(buffer, offset, length),
    view: new DataView(buffer, offset, length),
    numberOf: undefined,
    bufferOf: undefined,
  }
}

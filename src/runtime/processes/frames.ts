// Messages between two processes, as bytes in a pipe of ours: nothing that Node would read by itself.
//
//   u32 bytes of the message | u32 buffers | u32 bytes of each buffer ... | the message | the buffers
//
// The message is written by the codec. Large buffers stand behind it, and are not copied into it: the system gathers them.

import { Malformed } from '../wire/codec/input.js'
import { NotSendable } from '../wire/codec/not-sendable.js'
import type { Carrier } from '../wire/codec/output.js'
import { readValue } from '../wire/codec/read-value.js'
import { writeValue } from '../wire/codec/write-value.js'

/** The descriptor of the pipe in the child. */
export const CHANNEL_FD = 4

/** Packets of large values, and of large buffers, are ours: they need no copy. */
const IN_FRAMES: Carrier = { objects: false, besideFrom: 64 * 1024, isOwned: true }
const MAX_BUFFERS = 0xffff
/** No message is longer, whatever its header says. */
const MAX_BYTES = 2 ** 31 - 1
const HEADER = 8

/**
 * The pieces of one message, to be written one after the other.
 *
 * @throws NotSendable for more than 2 GB
 */
export function frameOf(message: unknown): Uint8Array[] {
  return writeValue(message, { carrier: IN_FRAMES }, (out, length) => {
    const buffers = out.beside as Uint8Array[]
    const size = buffers.reduce((sum, { byteLength }) => sum + byteLength, length)
    if (size > MAX_BYTES) throw new NotSendable('larger than 2 GB')
    const start = HEADER + 4 * buffers.length
    const frame = Buffer.allocUnsafe(start + length)
    frame.writeUInt32LE(length, 0)
    frame.writeUInt32LE(buffers.length, 4)
    buffers.forEach((buffer, i) => frame.writeUInt32LE(buffer.byteLength, HEADER + 4 * i))
    frame.set(out.bytes.subarray(0, length), start)
    return [frame, ...buffers]
  })
}

/** Puts messages together of what arrives, in pieces of any size. */
export class FrameReader {
  readonly #onMessage: (message: unknown) => void
  readonly #chunks: Uint8Array[] = []
  #size = 0
  /** Bytes until something can be read. */
  #needed = HEADER
  /** Of the message that is arriving, then of its buffers; empty: they are not known yet. */
  #lengths: number[] = []

  constructor(onMessage: (message: unknown) => void) {
    this.#onMessage = onMessage
  }

  /** @throws Malformed for what is no message of ours */
  read(chunk: Uint8Array): void {
    if (chunk.length === 0) return
    this.#chunks.push(chunk)
    this.#size += chunk.length
    while (this.#size >= this.#needed) {
      if (this.#lengths.length === 0) this.#readHeader()
      else this.#readMessage()
    }
  }

  #readHeader(): void {
    const buffers = peek(this.#chunks, HEADER).readUInt32LE(4)
    if (buffers > MAX_BUFFERS) throw new Malformed('it has too many buffers')
    this.#needed = HEADER + 4 * buffers
    if (this.#size < this.#needed) return
    const header = this.#take(this.#needed)
    const lengths = [header.readUInt32LE(0)]
    for (let i = 0; i < buffers; i++) lengths.push(header.readUInt32LE(HEADER + 4 * i))
    this.#lengths = lengths
    this.#needed = lengths.reduce((sum, length) => sum + length, 0)
    if (this.#needed > MAX_BYTES) throw new Malformed('it is too long')
  }

  #readMessage(): void {
    const [bytes, ...buffers] = this.#lengths.map((length) => this.#take(length)) as [Buffer, ...Buffer[]]
    this.#lengths = []
    this.#needed = HEADER
    this.#onMessage(messageOf(bytes, buffers))
  }

  /** The next bytes, in memory of their own if they are many: it may be kept. */
  #take(length: number): Buffer {
    const chunks = this.#chunks
    const first = chunks[0]
    this.#size -= length
    if (first && first.length >= length && length < OWN_BYTES) {
      chunks[0] = first.subarray(length)
      return Buffer.from(first.buffer, first.byteOffset, length)
    }
    const taken = Buffer.allocUnsafeSlow(length)
    for (let at = 0; at < length;) {
      const next = chunks[0]!
      const piece = next.subarray(0, length - at)
      taken.set(piece, at)
      at += piece.length
      if (piece.length === next.length) chunks.shift()
      else chunks[0] = next.subarray(piece.length)
    }
    return taken
  }
}

/** From so many bytes on a piece gets memory of its own. */
const OWN_BYTES = 64 * 1024

function messageOf(bytes: Buffer, buffers: readonly Buffer[]): unknown {
  const memory = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) }
  const beside = buffers.map((each) =>
    each.byteLength === each.buffer.byteLength ? each.buffer : new Uint8Array(each).buffer,
  )
  return readValue(memory, { from: 0, to: bytes.byteLength }, beside)
}

function peek(chunks: readonly Uint8Array[], length: number): Buffer {
  const first = chunks[0]!
  if (first.length >= length) return Buffer.from(first.buffer, first.byteOffset, length)
  return Buffer.concat(chunks.slice(0, length), length) // each has a byte at least
}

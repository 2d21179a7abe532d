// Messages between two processes, as bytes in a pipe of ours: nothing that Node would read by itself.
//
//   u32 buffers | u32 bytes of the message | u32 bytes of each buffer, top bit: a packet | the message | the buffers
//
// The message is written by the codec. Large buffers stand behind it, and are not copied into it: the system gathers them.

import type { Socket } from 'node:net'
import { Malformed } from '../wire/codec/input.js'
import { NotSendable } from '../wire/codec/not-sendable.js'
import type { Carrier } from '../wire/codec/output.js'
import { OWN_BYTES, PIECE_BYTES } from '../wire/codec/packet.js'
import { readValue } from '../wire/codec/read-value.js'
import { keepMemory, takeMemory } from '../wire/codec/spare-memory.js'
import { writeValue } from '../wire/codec/write-value.js'

/** The descriptor of the pipe in the child. */
export const CHANNEL_FD = 4

/** Packets, and buffers beside them, are ours: they need no copy. */
const IN_FRAMES: Carrier = { objects: false, besideFrom: PIECE_BYTES, isOwned: true }
/** No message is longer, whatever its header says. */
const MAX_BYTES = 2 ** 31 - 1
const MAX_BUFFERS = Math.ceil(MAX_BYTES / PIECE_BYTES)
/** Bytes of each number before the message. */
const NUMBER = 4
/** Of a length: what stands there is read, and not kept. Its memory may be longer, and is used again. */
const PACKET = 0x80000000

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
    const numbers = [buffers.length, length, ...buffers.map(lengthOf)]
    const start = NUMBER * numbers.length
    const frame = Buffer.allocUnsafe(start + length)
    numbers.forEach((each, i) => frame.writeUInt32LE(each, NUMBER * i))
    frame.set(out.bytes.subarray(0, length), start)
    return [frame, ...buffers]
  })
}

function lengthOf(buffer: Uint8Array): number {
  return Buffer.isBuffer(buffer) ? (buffer.byteLength | PACKET) >>> 0 : buffer.byteLength
}

/** Sends one message. Its large pieces are ours again once they have left. @throws NotSendable for more than 2 GB */
export function writeFrame(channel: Socket, message: unknown): void {
  const [head, ...buffers] = frameOf(message) as [Uint8Array, ...Uint8Array[]] // may throw: not while it is corked
  channel.cork()
  channel.write(head)
  for (const { buffer, byteOffset, byteLength } of buffers)
    channel.write(Buffer.from(buffer, byteOffset, byteLength), () => keepMemory(buffer))
  channel.uncork()
}

/** Puts messages together of what arrives, in pieces of any size. */
export class FrameReader {
  readonly #onMessage: (message: unknown) => void
  readonly #chunks: Uint8Array[] = []
  #size = 0
  /** Bytes until something can be read. */
  #needed = NUMBER
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
    const buffers = peek(this.#chunks, NUMBER).readUInt32LE(0)
    if (buffers > MAX_BUFFERS) throw new Malformed('it has too many buffers')
    this.#needed = NUMBER * (2 + buffers)
    if (this.#size < this.#needed) return
    const header = this.#take(this.#needed)
    this.#lengths = Array.from({ length: 1 + buffers }, (_, i) => header.readUInt32LE(NUMBER * (1 + i)))
    this.#needed = this.#lengths.reduce((sum, length) => sum + (length & ~PACKET), 0)
    if (this.#needed > MAX_BYTES) throw new Malformed('it is too long')
  }

  #readMessage(): void {
    const [message, ...buffers] = this.#lengths.map((length, i) =>
      i === 0 ? this.#take(length & ~PACKET) : this.#takeBuffer(length & ~PACKET, length >= PACKET),
    ) as [Buffer, ...object[]]
    this.#lengths = []
    this.#needed = NUMBER
    this.#onMessage(messageOf(message, buffers))
  }

  /** A packet as its bytes, which are read soon; any other as a buffer, which is kept. */
  #takeBuffer(length: number, isPacket: boolean): object {
    if (isPacket) return this.#take(length, length < OWN_BYTES ? undefined : takeMemory(length))
    return length < OWN_BYTES ? new Uint8Array(this.#take(length)).buffer : this.#take(length).buffer
  }

  /** The next bytes, in memory of their own if they are many: it may be kept. */
  #take(length: number, memory?: ArrayBuffer): Buffer {
    const chunks = this.#chunks
    const first = chunks[0]
    this.#size -= length
    if (first && first.length >= length && length < OWN_BYTES) {
      chunks[0] = first.subarray(length)
      return Buffer.from(first.buffer, first.byteOffset, length)
    }
    const taken = memory ? Buffer.from(memory, 0, length) : Buffer.allocUnsafeSlow(length)
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

function messageOf(bytes: Buffer, buffers: readonly object[]): unknown {
  const memory = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) }
  return readValue(memory, { from: 0, to: bytes.byteLength }, buffers)
}

function peek(chunks: readonly Uint8Array[], length: number): Buffer {
  const first = chunks[0]!
  if (first.length >= length) return Buffer.from(first.buffer, first.byteOffset, length)
  return Buffer.concat(chunks.slice(0, length), length) // each has a byte at least
}

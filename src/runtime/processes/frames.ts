// Messages between two processes, as bytes in a pipe of ours: nothing that Node would read by itself.
//
//   u32 MARK | u32 buffers | u32 bytes of the message | u32 bytes of each buffer, top bit: a packet | the message | the buffers
//
// The message is written by the codec. Large buffers stand behind it, and are not copied into it: the system gathers them.

import type { Writable } from 'node:stream'
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
/** Begins each message: what somebody has written there by mistake would be taken for a length, and awaited for ever. */
const MARK = 0x4d5754f5
/** Bytes of each number before the message. */
const NUMBER = 4
/** Of the mark, and of how many buffers there are. */
const START = 2 * NUMBER
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
    const numbers = [MARK, buffers.length, length, ...buffers.map(lengthOf)]
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
export function writeFrame(channel: Writable, message: unknown): void {
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
  /** Of the message that is arriving, then of its buffers; empty: they are not known yet. */
  #lengths: number[] = []
  /** Those of them that are there. */
  #parts: object[] = []
  /** Where a long one goes as it arrives: what was read just now is in the cache, and need not be kept until the rest is there. */
  #long: Buffer | undefined
  #filled = 0

  constructor(onMessage: (message: unknown) => void) {
    this.#onMessage = onMessage
  }

  /** @throws Malformed for what is no message of ours */
  read(chunk: Uint8Array): void {
    if (chunk.length === 0) return
    this.#chunks.push(chunk)
    this.#size += chunk.length
    while (this.#readNext());
  }

  /** False: more must arrive first. */
  #readNext(): boolean {
    if (this.#lengths.length === 0) return this.#readHeader()
    if (this.#parts.length < this.#lengths.length) return this.#readPart(this.#lengths[this.#parts.length]!)
    const [message, ...buffers] = this.#parts as [Buffer, ...object[]]
    this.#lengths = []
    this.#parts = []
    this.#onMessage(messageOf(message, buffers))
    return true
  }

  #readHeader(): boolean {
    if (this.#size < START) return false
    const start = peek(this.#chunks, START)
    if (start.readUInt32LE(0) !== MARK) throw new Malformed('it does not begin as one of ours')
    const buffers = start.readUInt32LE(NUMBER)
    if (buffers > MAX_BUFFERS) throw new Malformed('it has too many buffers')
    const size = START + NUMBER * (1 + buffers)
    if (this.#size < size) return false
    const header = this.#take(size)
    const lengths = Array.from({ length: 1 + buffers }, (_, i) => header.readUInt32LE(START + NUMBER * i))
    const needed = lengths.reduce((sum, length) => sum + (length & ~PACKET), 0)
    if (needed > MAX_BYTES) throw new Malformed('it is too long')
    this.#lengths = lengths
    return true
  }

  /** A packet as its bytes, which are read soon, as those of the message; any other as a buffer, which is kept. */
  #readPart(numbers: number): boolean {
    const length = numbers & ~PACKET
    const isBytes = numbers >= PACKET || this.#parts.length === 0
    if (length >= OWN_BYTES) {
      this.#long ??=
        numbers >= PACKET ? Buffer.from(takeMemory(length), 0, length) : Buffer.allocUnsafeSlow(length)
      if (!this.#fill(this.#long)) return false
      this.#parts.push(isBytes ? this.#long : this.#long.buffer)
      this.#long = undefined
      this.#filled = 0
      return true
    }
    if (this.#size < length) return false
    const bytes = this.#take(length)
    this.#parts.push(isBytes ? bytes : new Uint8Array(bytes).buffer)
    return true
  }

  /** With what has arrived. Whether it is full. */
  #fill(long: Buffer): boolean {
    const chunks = this.#chunks
    while (chunks.length > 0 && this.#filled < long.length) {
      const next = chunks[0]!
      const piece = next.subarray(0, long.length - this.#filled)
      long.set(piece, this.#filled)
      this.#filled += piece.length
      this.#size -= piece.length
      if (piece.length === next.length) chunks.shift()
      else chunks[0] = next.subarray(piece.length)
    }
    return this.#filled === long.length
  }

  /** The next bytes, fewer than OWN_BYTES. */
  #take(length: number): Buffer {
    const chunks = this.#chunks
    const first = chunks[0]
    this.#size -= length
    if (first && first.length >= length) {
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

function messageOf(bytes: Buffer, buffers: readonly object[]): unknown {
  const memory = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) }
  return readValue(memory, { from: 0, to: bytes.byteLength }, buffers)
}

function peek(chunks: readonly Uint8Array[], length: number): Buffer {
  const first = chunks[0]!
  if (first.length >= length) return Buffer.from(first.buffer, first.byteOffset, length)
  return Buffer.concat(chunks.slice(0, length), length) // each has a byte at least
}

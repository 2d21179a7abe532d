// A value on its way in a message: its bytes, and beside them what no bytes can carry.
//
//   up to 32 KB    the bytes as a text of one-byte characters: a message with an ArrayBuffer takes 2 to 6 us more
//   above          the memory in which they were written, moved; its reader writes the next large value there
//   none           the value is a view that is moved: the message carries it as it is
//
// A message says by a flag, or by the kind of the reply, that it carries a packet: no data of a user's can be taken for one.

import { types } from 'node:util'
import { useMarks } from '../../task/move.js'
import type { Carrier, MovedObjects, Output } from './output.js'
import { isOnlyMoved } from '../kinds/platform.js'
import { Malformed, type ValueOrigin } from './input.js'
import { readValue } from './read-value.js'
import { keepMemory, markCopy, takeSpare } from './spare-memory.js'
import { bufferOf, isOfPlatform, viewBytesOf } from '../kinds/views.js'
import { writeValue, type WriteOptions } from './write-value.js'

/** How a value stands in a message: small primitives as they are, all else as a packet. A text is always a packet. */
export type Carried = number | boolean | bigint | null | undefined | Packet

/** The bytes, alone or in a list with what goes beside them; null: what goes beside is the value. */
export type Packet = string | Uint8Array | readonly [string | Uint8Array, ...object[]] | MovedView
type MovedView = readonly [null, ArrayBufferView]

export interface Carriage {
  readonly carried: Carried
  /** What is to be moved with it. */
  readonly transfer: readonly object[] | undefined
  /** In a page: what is carried is the value itself. It is to be sent at once, and alone. */
  readonly isItself?: boolean
}

/** A packet of so many bytes is alone in its memory, whichever way it has come. */
export const OWN_BYTES = 64 * 1024
/** Messages between threads. */
export const BY_MESSAGE: Carrier = { objects: true, besideFrom: 64 * 1024 }
/** From so many bytes on a packet is a piece of its own in a pipe, and takes the memory along in which it was written: it is not copied. */
export const PIECE_BYTES = 16 * 1024
/** Pipes between processes, which carry bytes and nothing else. */
export const BY_PIPE: Carrier = { objects: false, besideFrom: 64 * 1024 }

const MAX_TEXT_BYTES = 32 * 1024

/** @throws NotSendable */
export function carry(value: unknown, options: WriteOptions): Carriage {
  if (isBare(value)) return { carried: value, transfer: undefined }
  if (isMovedView(value, options)) return { carried: [null, value], transfer: [bufferOf(value)] }
  return writeValue(value, options, (out, length) => packOutput(out, length, options.carrier))
}

/** Structured clone keeps all of it: it is of a class of the platform, which Buffer is not. */
function isMovedView(value: unknown, { carrier, transfer }: WriteOptions): value is ArrayBufferView {
  if (transfer === undefined || !carrier.objects || !ArrayBuffer.isView(value)) return false
  return isOfPlatform(value) && viewBytesOf(value) > 0 && transfer.has(bufferOf(value))
}

/** What was written just now. */
export function packOutput(out: Output, length: number, { objects }: Carrier): Carriage {
  const { beside, moved } = out
  const isText = objects && length <= MAX_TEXT_BYTES
  const bytes = isText ? out.bytes.latin1Slice(0, length) : takeBytes(out, length, objects)
  const transfer = typeof bytes !== 'string' && objects ? [bytes.buffer, ...moved] : moved
  return {
    carried: beside.length > 0 ? [bytes, ...beside] : bytes,
    transfer: transfer.length > 0 ? transfer : undefined,
  }
}

function takeBytes(out: Output, length: number, isMoved: boolean): Uint8Array {
  if (isMoved) return new Uint8Array(markCopy(out.giveMemory(takeSpare())), 0, length)
  if (length >= PIECE_BYTES) return Buffer.from(out.giveMemory(takeSpare()), 0, length)
  const copy = Buffer.allocUnsafe(length)
  copy.set(out.bytes.subarray(0, length))
  return copy
}

/**
 * The value.
 *
 * @throws Malformed for bytes that no writer of ours has made; TW_ERR_CLASS_NOT_REGISTERED and TW_ERR_NOT_CLONEABLE (a fromData()
 * has thrown), both only with `origin`: without it the packet holds what was thrown, which nothing may hide.
 */
export function receive(packet: unknown, origin?: ValueOrigin): unknown {
  if (isBare(packet)) return packet
  if (Array.isArray(packet) && packet[0] === null) return viewIn(packet)
  const [bytes, beside] = Array.isArray(packet) ? [packet[0] as unknown, packet.slice(1)] : [packet, []]
  if (typeof bytes === 'string') return unpackText(bytes, beside, origin)
  if (!types.isUint8Array(bytes)) throw new Malformed('it is no packet')
  const { buffer, byteOffset, byteLength } = bytes
  const memory = {
    bytes: Buffer.from(buffer, byteOffset, byteLength),
    view: new DataView(buffer, byteOffset, byteLength),
  }
  const value = readValue(memory, { from: 0, to: byteLength }, beside, origin)
  // A forged message may name it among what the value holds. A shorter one may lie in memory that holds others too: frames.ts.
  if (beside.length === 0 && byteLength >= OWN_BYTES) keepMemory(buffer)
  return value
}

function viewIn([, view]: readonly unknown[]): ArrayBufferView {
  if (!ArrayBuffer.isView(view)) throw new Malformed('it is no packet')
  return view
}

/** What can only be moved: whoever passes a value on that has come by message is the only one who has it. */
export const onlyMovable: MovedObjects = { has: isOnlyMoved }

/** What of a packet that has come by message can be moved on. */
export function movableIn(packet: unknown): ArrayBuffer[] | undefined {
  const [bytes, ...beside] = Array.isArray(packet) ? (packet as [unknown, ...object[]]) : []
  if (bytes === null) return [viewIn([bytes, ...beside]).buffer as ArrayBuffer]
  const movable = beside.filter((each) => types.isArrayBuffer(each) || onlyMovable.has(each))
  return movable.length > 0 ? (movable as ArrayBuffer[]) : undefined
}

function isBare(value: unknown): value is Exclude<Carried, Packet> {
  return (
    value === null ||
    (typeof value !== 'object' &&
      typeof value !== 'string' &&
      typeof value !== 'function' &&
      typeof value !== 'symbol')
  )
}

interface Memory {
  readonly bytes: Buffer
  readonly view: DataView
}

/** For packets of text. Several only where a fromData() reads another packet meanwhile. */
const scratches: Memory[] = []

function createScratch(): Memory {
  const buffer = new ArrayBuffer(MAX_TEXT_BYTES)
  return { bytes: Buffer.from(buffer), view: new DataView(buffer) }
}

function unpackText(text: string, beside: readonly unknown[], origin: ValueOrigin | undefined): unknown {
  const { length } = text
  if (length > MAX_TEXT_BYTES) throw new Malformed('its text is too long')
  const memory = scratches.pop() ?? createScratch()
  try {
    memory.bytes.latin1Write(text, 0, length)
    return readValue(memory, { from: 0, to: length }, beside, origin)
  } finally {
    scratches.push(memory)
  }
}

/** A copy of the value in this thread, as another one would get it. @throws NotSendable, and as {@link receive} */
export function copyValue<T>(value: T, origin?: ValueOrigin, transfer?: WriteOptions['transfer']): T {
  const { carried, transfer: moved = [] } = carry(value, { carrier: BY_MESSAGE, transfer })
  if (!Array.isArray(carried)) return receive(carried, origin) as T
  const [bytes, ...beside] = carried as [string | Uint8Array | null, ...object[]]
  useMarks(moved)
  const own = types.isUint8Array(bytes) ? bytes.buffer : undefined
  const others = structuredClone(beside, {
    transfer: moved.filter((each) => each !== own) as ArrayBuffer[],
  })
  return receive([bytes, ...others], origin) as T
}

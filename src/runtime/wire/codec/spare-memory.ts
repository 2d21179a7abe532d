// Memory of packets that are over, for those to come: the system gives new memory page by page, which for a megabyte takes longer than
// to write it. Nobody else may have it: it was moved here whole, or its values were read, or its bytes have left through a pipe.

import { types } from 'node:util'

/** Smaller memory is not worth it; larger memory would be kept for the sake of one value. */
const MIN_BYTES = 32 * 1024
const MAX_BYTES = 4 * 1024 * 1024
/** As many as there are values on their way, as a rule; but not more memory. */
const MAX_SPARES = 16
const MAX_SPARE_BYTES = 16 * 1024 * 1024
/** What the next packet of about the same length may need more. */
const SLACK_BYTES = 4 * 1024

const spares: ArrayBuffer[] = []
let spareBytes = 0

export function keepMemory(memory: ArrayBufferLike): void {
  const { byteLength } = memory
  if (spares.length === MAX_SPARES || byteLength < MIN_BYTES || byteLength > MAX_BYTES) return
  if (spareBytes + byteLength > MAX_SPARE_BYTES) return
  if (!types.isArrayBuffer(memory) || spares.includes(memory)) return // a forged message may hold a packet twice
  spares.push(memory)
  spareBytes += byteLength
}

/** Of any length, if there is some. */
export function takeSpare(): ArrayBuffer | undefined {
  return taken(spares.pop())
}

/** For so many bytes, and perhaps more. */
export function takeMemory(length: number): ArrayBuffer {
  return take((each) => each >= length) ?? Buffer.allocUnsafeSlow(length + SLACK_BYTES).buffer
}

/** Of exactly this length. */
export function takeExactMemory(length: number): ArrayBuffer {
  return take((each) => each === length) ?? Buffer.allocUnsafeSlow(length).buffer
}

function take(fits: (length: number) => boolean): ArrayBuffer | undefined {
  const place = spares.findIndex(({ byteLength }) => fits(byteLength))
  return place < 0 ? undefined : taken(spares.splice(place, 1)[0])
}

function taken(spare: ArrayBuffer | undefined): ArrayBuffer | undefined {
  if (spare) spareBytes -= spare.byteLength
  return spare
}

// A copy that is moved is garbage that we have made, and is collected early (runtime/threads/young-collection.ts); what a user moves is not.
// It is known by a field, which a message does not carry: a WeakSet would give the collector of the young generation more to do.

const COPY = Symbol('copy')

export function markCopy(buffer: ArrayBuffer): ArrayBuffer {
  ;(buffer as { [COPY]?: true })[COPY] = true
  return buffer
}

export function isCopy(value: object): value is ArrayBuffer {
  return (value as { [COPY]?: true })[COPY] === true
}

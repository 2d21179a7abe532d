// Memory of packets that are over, for those to come: the system gives new memory page by page, which for a megabyte takes longer than
// to write it. Nobody else may have it: it was moved here whole, or its values were read, or its bytes have left through a pipe.

/** Smaller memory is not worth it; larger memory would be kept for the sake of one value. */
const MIN_BYTES = 32 * 1024
const MAX_BYTES = 4 * 1024 * 1024
const MAX_SPARES = 4
/** What the next packet of about the same length may need more. */
const SLACK_BYTES = 4 * 1024

const spares: ArrayBuffer[] = []

export function keepMemory(memory: ArrayBufferLike): void {
  const { byteLength } = memory
  if (spares.length === MAX_SPARES || byteLength < MIN_BYTES || byteLength > MAX_BYTES) return
  if (memory instanceof ArrayBuffer && !spares.includes(memory)) spares.push(memory) // a forged message may hold a packet twice
}

/** Of any length, if there is some. */
export function takeSpare(): ArrayBuffer | undefined {
  return spares.pop()
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
  return place < 0 ? undefined : spares.splice(place, 1)[0]
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

// Which buffers are copies of ours: those that a user moves are not garbage that we have made, and nobody collects for their sake.
//
// By a field of the buffer, which a message does not carry. A WeakSet would give the collector of the young generation more to do.

const COPY = Symbol('copy')

export function markCopy(buffer: ArrayBuffer): ArrayBuffer {
  ;(buffer as { [COPY]?: true })[COPY] = true
  return buffer
}

export function isCopy(value: object): value is ArrayBuffer {
  return (value as { [COPY]?: true })[COPY] === true
}

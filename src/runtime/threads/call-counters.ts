// Two words that a worker thread shares with its parent, whichever way its calls travel.

/** How many calls by message have started: written by the worker only, read by the parent after its death. */
export const STARTED = 0
/** How many calls the parent has cancelled: counted after each message that says so. */
export const CANCELLED = 1

/** Undefined where there is no shared memory. */
export function createCallCounters(): Int32Array<SharedArrayBuffer> | undefined {
  return typeof SharedArrayBuffer === 'function' ? new Int32Array(new SharedArrayBuffer(8)) : undefined
}

/** Whether calls were cancelled since it was asked. */
export function watchCancelled(counters: Int32Array): () => boolean {
  let seen = 0
  return () => {
    const count = Atomics.load(counters, CANCELLED)
    if (count === seen) return false
    seen = count
    return true
  }
}

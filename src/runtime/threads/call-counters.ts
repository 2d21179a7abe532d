// Three words that a worker thread shares with its parent, whichever way its calls travel.
//
// What a worker that is being ended has not begun is given to others at once, though native code may keep its thread for long. The parent writes
// ENDING and then reads STARTED; the worker adds to STARTED and then reads ENDING, before each call. Atomics are in one order for both: of a call
// that both meet, either the parent sees that it has started, or the worker sees that it must not.

/** How many calls by message have started: written by the worker only, read by the parent when it ends the worker, and after its death. */
export const STARTED = 0
/** How many calls the parent has cancelled: counted after each message that says so. */
export const CANCELLED = 1
/** 1: the worker is being ended and begins no further call. Written by the parent only. */
const ENDING = 2

/** Undefined where there is no shared memory. */
export function createCallCounters(): Int32Array<SharedArrayBuffer> | undefined {
  return typeof SharedArrayBuffer === 'function' ? new Int32Array(new SharedArrayBuffer(12)) : undefined
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

/** In the worker, before each call: whether it may begin. */
export function countStart(counters: Int32Array): boolean {
  Atomics.add(counters, STARTED, 1)
  return Atomics.load(counters, ENDING) === 0
}

/** In the parent: from now on no further call begins. */
export function stopStarting(counters: Int32Array): void {
  Atomics.store(counters, ENDING, 1)
}

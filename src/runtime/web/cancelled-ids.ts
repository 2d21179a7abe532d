// Ids of cancelled calls, in memory that an isolated page shares with a worker: a task that never lets the event loop turn reads no message.
//
//   word 0    how many were cancelled so far: written by the page only, after the id
//   others    their ids, in a ring. One that is overtaken is lost here; its message comes all the same, when the loop has ended

import { hasSharedMemory } from './browser.js'

export type CancelledIds = Int32Array<SharedArrayBuffer>

const PLACES = 64

/** Undefined in a page that is not isolated. */
export function createCancelledIds(): CancelledIds | undefined {
  return hasSharedMemory() ? new Int32Array(new SharedArrayBuffer(4 * (1 + PLACES))) : undefined
}

/** The page's side. */
export function noteCancelled(words: CancelledIds, id: number): void {
  const count = Atomics.load(words, 0)
  Atomics.store(words, 1 + (count % PLACES), id)
  Atomics.store(words, 0, count + 1)
}

/** The worker's side: what it gives looks for those that are new. */
export function watchCancelled(words: CancelledIds, onCancelled: (id: number) => void): () => void {
  let seen = 0
  return () => {
    const count = Atomics.load(words, 0)
    seen = Math.max(seen, count - PLACES)
    while (seen < count) onCancelled(Atomics.load(words, 1 + (seen++ % PLACES)))
  }
}

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

/** For so long a task must have held the thread: until then the message may be on its way, which has the reason as well. */
const HELD_MS = 20
/** After so long, and a turn of the loop, the message has come. */
const COME_MS = 1000

/** The worker's side: what it gives looks for those that are new, and whose message cannot come, since the loop does not turn. */
export function watchCancelled(
  words: CancelledIds,
  onCancelled: (id: number) => void,
  { now, nextTurn }: { now: () => number; nextTurn: (callback: () => void) => void },
): () => void {
  let seen = 0
  /** Since when some are new; `sinceMs`: since when the loop has not turned. */
  let look: { upTo: number; firstMs: number; sinceMs: number; hasTurned: boolean } | null = null
  const begin = (upTo: number, firstMs: number, sinceMs: number) => {
    const begun = { upTo, firstMs, sinceMs, hasTurned: false }
    look = begun
    nextTurn(() => (begun.hasTurned = true))
  }
  return () => {
    const count = Atomics.load(words, 0)
    if (count === seen) return
    const ms = now()
    if (look === null) begin(count, ms, ms)
    else if (look.hasTurned && ms - look.firstMs > COME_MS) [seen, look] = [look.upTo, null]
    else if (look.hasTurned) begin(look.upTo, look.firstMs, ms)
    else if (ms - look.sinceMs >= HELD_MS) {
      look = null
      seen = Math.max(seen, count - PLACES)
      while (seen < count) onCancelled(Atomics.load(words, 1 + (seen++ % PLACES)))
    }
  }
}

// How long main looks for replies before it sleeps. To be woken takes it some 50 µs, as it takes a worker.
//
//   calls follow each other       looks once by a turn of the event loop, then for `spinUs` without one if a CPU is free
//   a cold call went to sleepers  looks for COLD_MS, turn by turn, or sleeps at once: as was better lately
//
// What is better for a cold call depends on where Linux has left the two threads. If each has a CPU, looking saves main's wake-up:
// 130 µs there and back become 75. If they share one, which is as common, the worker that was woken
// waits until main sleeps: looking for 60 µs makes 125 µs 180. So main tries it, goes on as long as replies come meanwhile, and after
// a look in vain leaves it for a while. Tasks that take longer than that are such looks, too.

import { machineNow } from '../../wire/machine-clock.js'

/** Milliseconds from call to call up to which an exchange is hot. */
const HOT_MS = 0.5
/** A worker that is woken on a CPU of its own answers a short call within 40 to 120 µs. */
const COLD_MS = 0.15
/** Cold calls without a look, after the first one in vain and at most. */
const FIRST_PAUSE = 2
const LAST_PAUSE = 128

export class SpinPolicy {
  /** Microseconds; 0: main never waits for replies. */
  spinUs = 0
  readonly #hasReplies: () => boolean
  readonly #now: () => number
  /** When calls were shown last. */
  #calledAt = -Infinity
  #isHot = false
  /** Turns of the event loop, one after the other, in which there were no replies. */
  #quietTurns = 0
  /** Until when main looks for the reply to a cold call; 0: it does not. */
  #rareUntil = 0
  /** Cold calls without a look: after the last one in vain, and of those still to come. */
  #pause = 0
  #pauseLeft = 0

  constructor(hasReplies: () => boolean, now = machineNow) {
    this.#hasReplies = hasReplies
    this.#now = now
  }

  /** Calls were shown. False: main should sleep at once. `isToSleepers`: nobody who is awake will take them. */
  begin(isToSleepers: boolean, isCpuFree: boolean): boolean {
    const now = this.#now()
    this.#isHot = now - this.#calledAt < HOT_MS
    this.#calledAt = now
    if (this.#isHot || !isToSleepers) return true
    if (this.spinUs === 0 || !isCpuFree || this.#pauseLeft-- > 0) return false
    this.#rareUntil = now + COLD_MS
    return true
  }

  /** The next turns count. */
  restart(): void {
    this.#quietTurns = 0
  }

  onReplies(): void {
    this.#quietTurns = 0
    if (this.#rareUntil === 0) return
    this.#rareUntil = 0
    this.#pause = 0
    this.#pauseLeft = 0
  }

  /** A turn has brought no replies. True: another one may. */
  goesOn(isCpuFree: boolean): boolean {
    this.#quietTurns++
    if (!isCpuFree) this.#rareUntil = 0 // further calls have come meanwhile, and need it
    return this.#rareUntil !== 0 ? this.#isRareOpen() : isCpuFree && this.#spin()
  }

  #isRareOpen(): boolean {
    if (this.#now() < this.#rareUntil) return true
    this.#rareUntil = 0
    this.#pause = Math.min(Math.max(2 * this.#pause, FIRST_PAUSE), LAST_PAUSE)
    this.#pauseLeft = this.#pause
    return false
  }

  #spin(): boolean {
    if (this.spinUs === 0 || !this.#isHot || this.#quietTurns > 1) return false
    const end = this.#now() + this.spinUs / 1000
    do {
      for (let looks = 0; looks < 16; looks++) if (this.#hasReplies()) return true
    } while (this.#now() < end)
    return false
  }
}

// A look at the queue and the rings while main sleeps, ever more rarely: calls that wait for long must not cost CPU time.
//
// A worker puts off to wake main while its calls are short; then one may turn out long, with the results of others behind it. And
// one that was woken for a call may have been about to run something else, as when a promise has settled. Both are found here.
//
//   asleep --5 ms--> look --10 ms--> look --20 ms--> ... --160 ms--> look --160 ms--> ...
//
// To set a timer for each call would slow down cold calls, and to take it back too. So one that is set stays, and if main has fallen
// asleep anew when it fires, it is set again for the rest of the 5 ms.
//
// The workers are told when the next look is due: only while it is near may they put off to wake main.

import { machineNow } from '../../wire/machine-clock.js'
import { startTimer, stopTimer, type Timer } from '../../../primitives/timers.js'

/** Milliseconds after which main looks by itself, at first and at last. */
const FIRST_MS = 5
const LAST_MS = 160
/** Timers count whole milliseconds. */
const EARLY_MS = 1

export class FallbackPoll {
  readonly #look: () => boolean
  readonly #tell: (dueAt: number) => void
  readonly #now: () => number
  #timer: Timer
  #firesAt = -Infinity
  /** Milliseconds without a look, as planned, and the time when they are over. */
  #ms = FIRST_MS
  #dueAt = -Infinity

  /** `look`: returns whether main sleeps on. `tell`: is given the time of the next one. `now`: milliseconds. */
  constructor(look: () => boolean, tell: (dueAt: number) => void, now = machineNow) {
    this.#look = look
    this.#tell = tell
    this.#now = now
  }

  /** Main falls asleep while calls are open. */
  plan(): void {
    const now = this.#now()
    this.#ms = FIRST_MS
    this.#dueIn(FIRST_MS, now)
    // One that is overdue may never fire: it was set when the timers of this process were fake, as in somebody's tests.
    if (this.#firesAt <= now || this.#firesAt > this.#dueAt) this.#set(FIRST_MS, now)
  }

  #dueIn(ms: number, now: number): void {
    this.#dueAt = now + ms
    this.#tell(this.#dueAt)
  }

  #set(ms: number, now: number): void {
    stopTimer(this.#timer)
    this.#firesAt = now + ms
    this.#timer = startTimer(ms, this.#onTime)
    this.#timer?.unref()
  }

  readonly #onTime = (): void => {
    const now = this.#now()
    this.#firesAt = -Infinity
    if (this.#dueAt - now > EARLY_MS) return this.#set(this.#dueAt - now, now)
    const ms = Math.min(2 * this.#ms, LAST_MS)
    if (!this.#look()) return
    this.#ms = ms
    this.#dueIn(ms, now)
    this.#set(ms, now)
  }
}

// How long main looks for replies before it sleeps. To be woken takes it some 50 µs, as it takes a worker.
//
//   calls follow each other       looks once by a turn of the event loop, then for `spinUs` without one if a CPU is free
//   a cold call went to sleepers  looks for COLD_MS, turn by turn, or sleeps at once: as was better lately
//
// What is better for a cold call depends on where Linux has left the two threads. If each has a CPU, looking saves main's wake-up. If
// they share one, which is as common, the worker that was woken waits until main sleeps (docs/maintainers/figures.md). So main tries it, goes on
// as long as replies come meanwhile, and after a look in vain leaves it for a while. Tasks that take longer than that are such looks, too.

import { machineNow } from '../../wire/machine-clock.js'
import { startTimer, stopTimer, type Timer } from '../../../primitives/timers.js'

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

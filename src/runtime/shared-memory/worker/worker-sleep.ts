// How a worker that finds nothing to do waits for something.
//
//   spin (at most one worker of the pool) --> futex, 2 ms --> event loop          each only if the one before found nothing
//   calls come rarely, for a while now:                       event loop
//
// It spins only in a hot exchange; for messages too, though its event loop would bring them: to wake a thread that sleeps there
// takes longer than most calls (docs/maintainers/figures.md).
//
// Not where calls come rarely: Linux often leaves a thread that is woken on the CPU where it ran last, also when its waker runs there
// and another CPU is idle. So main, just woken for a result, would wait for the spinning worker to give up. The same holds for main
// and the worker that it has woken (docs/maintainers/figures.md).
//
// Nor in the futex after a long call: Linux wakes a thread whose time there is over on whichever CPU is idle. So while main is busy all
// workers come to lie on the same one, and of two calls that main makes then the second waits there for 3 ms, behind the first.
//
// Nor for long where calls come rarely: a futex whose time is over wakes the worker once more for each call. Only the first calls after a
// busy phase, with the threads still on two CPUs, are quicker with it.
//
// A worker first stores how it sleeps and then looks for work once more; whoever brings work stores that first and then
// looks at how the worker sleeps. So no wake-up is lost; see docs/maintainers/transport.md.

import { machineNow } from '../../wire/machine-clock.js'
import { SPIN_US, SPINNER } from '../layout/queue-layout.js'
import * as own from '../layout/worker-layout.js'

export interface SleepOptions {
  /** Control words of the queue, and of this worker. */
  readonly queue: Int32Array
  readonly own: Int32Array
  /** Number of this worker among those of the pool, from 0. */
  readonly index: number
  readonly hasWork: () => boolean
}

/** Milliseconds in the futex: the worker's timers and sockets wait for it. */
export const FUTEX_MS = 2
/** Milliseconds from one rest to the next up to which calls follow each other fast enough for spinning. */
const HOT_MS = 0.5
/** Sleeps in the futex after the last hot exchange. */
const FUTEXES = 64
/** Looks for work between two looks at the clock. */
const LOOKS = 32

const pause: () => void = (Atomics as { pause?: () => void }).pause ?? (() => {})

export class WorkerSleep {
  readonly #queue: Int32Array
  readonly #own: Int32Array
  readonly #index: number
  readonly #hasWork: () => boolean
  /** The next sleep is in the event loop: it has slept in the futex, or what it did last came from there. */
  #isLoopNext = false
  #restedAt = -Infinity
  /** Of FUTEXES, those still to come. */
  #futexesLeft = 0
  /** Milliseconds in the futex, so far. */
  sleptMs = 0

  constructor(options: SleepOptions) {
    this.#queue = options.queue
    this.#own = options.own
    this.#index = options.index
    this.#hasWork = options.hasWork
  }

  /** It runs calls from the queue: more of them may follow within microseconds. */
  preferSpinning(): void {
    this.#isLoopNext = false
  }

  /** It handles messages, which wake the event loop anyway; or it ran a long call. */
  preferLoop(): void {
    this.#isLoopNext = true
  }

  /**
   * True: look again. False: go to the event loop, and be woken there. `mayBlock`: nothing waits for the event loop. `inLoop`: the state
   * there.
   */
  rest(mayBlock: boolean, inLoop: number): boolean {
    const now = machineNow()
    const isHot = now - this.#restedAt < HOT_MS
    this.#restedAt = now
    if (isHot) this.#futexesLeft = FUTEXES
    if (mayBlock && isHot && this.#spin(now)) return true
    if (mayBlock && !this.#isLoopNext && this.#futexesLeft-- > 0) {
      this.#isLoopNext = true
      if (this.#sleepInFutex()) return true
    }
    this.#isLoopNext = false
    Atomics.store(this.#own, own.STATE, inLoop)
    return this.#isNeeded(inLoop)
  }

  /** In its event loop this worker may take calls again. It has to look for some after that. */
  takeAgain(): void {
    Atomics.compareExchange(this.#own, own.STATE, own.OCCUPIED, own.IN_LOOP)
  }

  /** At most one worker of the pool spins: more would take CPUs from the ones that work. */
  #spin(now: number): boolean {
    const spinUs = Atomics.load(this.#queue, SPIN_US)
    if (spinUs === 0 || Atomics.compareExchange(this.#queue, SPINNER, 0, this.#index + 1) !== 0) return false
    Atomics.store(this.#own, own.STATE, own.SPINNING)
    const end = now + spinUs / 1000
    let isFound = false
    do {
      for (let looks = 0; looks < LOOKS && !isFound; looks++) {
        isFound = this.#hasWork()
        pause()
      }
    } while (!isFound && machineNow() < end)
    Atomics.store(this.#own, own.STATE, own.AWAKE)
    Atomics.store(this.#queue, SPINNER, 0)
    return isFound || this.#hasWork() // main may have counted on this spinner a moment ago
  }

  #sleepInFutex(): boolean {
    Atomics.store(this.#own, own.STATE, own.IN_FUTEX)
    if (this.#isNeeded(own.IN_FUTEX)) return true
    const since = machineNow()
    const result = Atomics.wait(this.#own, own.STATE, own.IN_FUTEX, FUTEX_MS)
    this.sleptMs += machineNow() - since
    if (result !== 'timed-out') return true // main has stored AWAKE
    return Atomics.compareExchange(this.#own, own.STATE, own.IN_FUTEX, own.AWAKE) !== own.IN_FUTEX
  }

  /** Looks once more after this worker has said how it sleeps. If there is work, it is awake again. */
  #isNeeded(state: number): boolean {
    if (!this.#hasWork()) return false
    Atomics.compareExchange(this.#own, own.STATE, state, own.AWAKE)
    return true
  }
}

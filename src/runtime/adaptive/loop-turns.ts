// Whether a call is alone: nobody else waits for the caller's event loop, or for a worker, while it runs here.
//
//   turn of the event loop:  | callback, its microtasks | callback, its microtasks | ...
//
// Several calls of one callback without a microtask between them were made at once: workers do them side by side. Calls from
// several callbacks of one turn say that the loop has more to do than it can: then workers take from it what they can.
// A call so short that its share of the round trip would be more runs here even then.
// A chain of calls, each awaited before the next, stays in one callback, however long it is: it is alone.

export interface Scheduler {
  microtask(callback: () => void): void
  /** Runs once the microtasks are done. */
  afterMicrotasks(callback: () => void): void
  /** Runs in the next turn of the event loop, and does not keep the program alive. */
  nextTurn(callback: () => void): void
}

/** Weight of a turn in the share of crowded ones. */
const WEIGHT = 1 / 8
const MAX_CROWDED = 0.5
/** Calls that a crowded loop has at a time, about. */
const CROWD = 7
/** Microseconds to a worker that sleeps and back. Calls that are under way together share them. */
const ROUND_TRIP_US = 80

export interface CallCosts {
  /** Microseconds of the caller's thread for a call here, and for one that a busy worker gets. */
  readonly inlineUs: number
  readonly poolUs: number
}

export class LoopTurns {
  /** More than one CPU: a worker can do what this thread leaves to it. */
  isParallel = true
  readonly #scheduler: Scheduler
  readonly #maxBlockUs: number
  /** Microseconds of calls in this turn. */
  #usedUs = 0
  /** Callbacks of this turn that have made calls. */
  #callbacks = 0
  #isInTurn = false
  #isInCallback = false
  /** Calls since the last microtask. */
  #atOnce = 0
  #isEndPlanned = false
  /** Share of the turns in which several callbacks have made calls. */
  #crowded = 0

  constructor(scheduler: Scheduler, maxBlockUs: number) {
    this.#scheduler = scheduler
    this.#maxBlockUs = maxBlockUs
  }

  /** To be asked once for each call. `open`: calls that workers have. */
  admits({ inlineUs, poolUs }: CallCosts, open: number): boolean {
    this.#note()
    if (this.#usedUs + inlineUs > this.#maxBlockUs) return false
    if (!this.isParallel) return true
    const others = open + this.#atOnce - 1 + (this.#crowded > MAX_CROWDED ? CROWD : 0)
    return others === 0 || inlineUs <= poolUs + ROUND_TRIP_US / (others + 1)
  }

  /** A call was admitted, and took so long. */
  used(us: number): void {
    this.#usedUs += us
  }

  #note(): void {
    if (++this.#atOnce === 1) this.#scheduler.microtask(this.#onMicrotask)
    if (!this.#isInCallback) {
      this.#isInCallback = true
      this.#callbacks++
    }
    if (!this.#isInTurn) {
      this.#isInTurn = true
      this.#scheduler.nextTurn(this.#onTurn)
    }
  }

  readonly #onMicrotask = (): void => {
    this.#atOnce = 0
    if (this.#isEndPlanned) return
    this.#isEndPlanned = true
    this.#scheduler.afterMicrotasks(this.#onCallbackEnd)
  }

  readonly #onCallbackEnd = (): void => {
    this.#isEndPlanned = false
    this.#isInCallback = false
  }

  readonly #onTurn = (): void => {
    this.#crowded += WEIGHT * ((this.#callbacks > 1 ? 1 : 0) - this.#crowded)
    this.#isInTurn = false
    this.#usedUs = 0
    this.#callbacks = 0
  }
}

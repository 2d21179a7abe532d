// How long each function keeps a worker's thread busy: a moving average that decides how far a worker may be given
// work ahead.
//
// A call that is sent ahead waits behind the ones before it, even when another worker falls idle: skew. A call that is
// not sent ahead costs a round trip of about 50 us in which the worker is idle. So short calls go ahead up to
// LOOK_AHEAD_US of work in all, and a call of unknown length goes alone.
//
// That is an estimate, and no promise: behind a call that is long against all experience lie up to LOOK_AHEAD_US of others until it ends. They cannot be
// taken back: processes share no memory, by which a worker that computes and the pool could agree on who has a call. docs/sizing.md says so.

/** Twenty round trips: at most 5 % of idling, and 1 ms of skew where calls are as long as before. */
export const LOOK_AHEAD_US = 1000

/** Weight of a new sample. */
const WEIGHT = 0.1

/** Names come from callers, so an endless number of wrong ones may come. */
const MAX_NAMES = 10_000

/** The costs of all functions of a module. */
export class TaskCosts {
  readonly #costs = new Map<string, TaskCost>()

  of(name: string): TaskCost {
    let cost = this.#costs.get(name)
    if (!cost) {
      if (this.#costs.size >= MAX_NAMES) this.#costs.clear() // real ones are soon known again
      this.#costs.set(name, (cost = new TaskCost()))
    }
    return cost
  }
}

export class TaskCost {
  /** Microseconds a call is expected to take. */
  expectedUs = LOOK_AHEAD_US
  /** Its last call has returned a promise: what comes after that is not in `expectedUs`. */
  isAsync = false
  #isKnown = false

  record(us: number): void {
    if (!this.#isKnown) {
      this.#isKnown = true
      this.expectedUs = us
      return
    }
    // A pause (garbage collection, a preempted thread) may look like a call that is a thousand times longer. Growth is
    // capped at four times per sample: a real change still gets through within a few calls.
    const capped = Math.min(us, 4 * this.expectedUs + 1)
    this.expectedUs += WEIGHT * (capped - this.expectedUs)
  }
}

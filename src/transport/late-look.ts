// A look at the queue and the rings while main sleeps, ever more rarely: calls that wait for long must not cost CPU time.
//
// A worker puts off to wake main while its calls are short; then one may turn out long, with the results of others behind it. And
// one that was woken for a call may have been about to run something else, as when a promise has settled. Both are found here.

/** Milliseconds after which main looks by itself, at first and at last. */
const FIRST_MS = 5
const LAST_MS = 160

export class LateLook {
  readonly #look: () => boolean
  #timer: ReturnType<typeof setTimeout> | undefined
  /** What the timer is set to; 0: it is not. */
  #ms = 0

  /** `look`: returns whether main sleeps on. */
  constructor(look: () => boolean) {
    this.#look = look
  }

  /** Main falls asleep while calls are open. A timer that is set already stays: to set one for each call would slow down rare ones. */
  plan(): void {
    if (this.#ms === 0 || this.#ms > FIRST_MS) this.#set(FIRST_MS)
  }

  #set(ms: number): void {
    clearTimeout(this.#timer)
    this.#ms = ms
    this.#timer = setTimeout(this.#onTime, ms)
    this.#timer.unref()
  }

  readonly #onTime = (): void => {
    const ms = this.#ms
    this.#ms = 0
    if (this.#look()) this.#set(Math.min(2 * ms, LAST_MS))
  }
}

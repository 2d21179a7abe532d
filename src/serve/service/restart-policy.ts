// When an instance that crashed is started again: at once, then later and later while they crash soon, until the service gives up.

/** An instance that has served for this long was stable. */
export const STABLE_MS = 10_000
/** Unstable instances in a row after which a service without any instance gives up. */
export const MAX_UNSTABLE = 10
const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 15_000

export class RestartPolicy {
  #unstable = 0

  /** Instances in a row that crashed before they were stable. */
  get unstable(): number {
    return this.#unstable
  }

  /**
   * An instance has crashed. Gives the milliseconds to wait before the next start, or null to give up.
   *
   * @param servedMs how long it has served; null when it never did
   * @param serving how many others serve: as long as there is one, the service goes on
   */
  delayAfter(servedMs: number | null, serving: number): number | null {
    if (servedMs !== null && servedMs >= STABLE_MS) this.#unstable = 0
    this.#unstable++
    if (this.#unstable >= MAX_UNSTABLE && serving === 0) return null
    if (this.#unstable === 1) return 0
    return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.#unstable - 2))
  }

  /** New instances serve: earlier crashes say nothing about them. */
  reset(): void {
    this.#unstable = 0
  }
}

// When an instance that ended is replaced: at once, then later and later while they keep ending soon.

/** One that has served for this long was stable. */
export const STABLE_MS = 10_000
const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 15_000
/** Unstable ends in a row after which a service without any instance gives up. */
export const MOST_UNSTABLE = 10

export class RestartLimit {
  #unstable = 0

  get unstable(): number {
    return this.#unstable
  }

  get isReached(): boolean {
    return this.#unstable >= MOST_UNSTABLE
  }

  /** Milliseconds to wait before the next start; null for `servedMs` when it never served. */
  ended(servedMs: number | null): number {
    if (servedMs !== null && servedMs >= STABLE_MS) this.#unstable = 0
    this.#unstable++
    if (this.#unstable === 1) return 0
    return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.#unstable - 2))
  }

  reset(): void {
    this.#unstable = 0
  }
}

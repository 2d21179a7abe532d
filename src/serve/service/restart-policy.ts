// When an instance that ended by itself is started again: at once, then later and later while they end soon, until the service gives up.

import type { ResolvedServe } from '../contract/resolve-options.js'

const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 15_000

export type RestartSettings = Pick<ResolvedServe, 'restartDelayMs' | 'maxRestarts' | 'minUptimeMs'>

/** Whether an end with this code is what the program is there for. */
export function isDone(
  exitCode: number | null,
  { restart, stopExitCodes }: Pick<ResolvedServe, 'restart' | 'stopExitCodes'>,
): boolean {
  return exitCode !== null && (stopExitCodes.includes(exitCode) || (exitCode === 0 && restart !== 'always'))
}

export class RestartPolicy {
  readonly #settings: RestartSettings
  #unstable = 0

  constructor(settings: RestartSettings) {
    this.#settings = settings
  }

  /** Instances in a row that ended before they were stable. */
  get unstable(): number {
    return this.#unstable
  }

  /**
   * An instance has ended. Gives the milliseconds to wait before the next start, or null to give up.
   *
   * @param servedMs how long it has served; null when it never did
   * @param serving how many others serve: as long as there is one, the service goes on
   */
  delayAfter(servedMs: number | null, serving: number): number | null {
    const { restartDelayMs, maxRestarts, minUptimeMs } = this.#settings
    if (servedMs !== null && servedMs >= minUptimeMs) this.#unstable = 0
    this.#unstable++
    if (this.#unstable >= maxRestarts && serving === 0) return null
    if (restartDelayMs !== null) return restartDelayMs
    if (this.#unstable === 1) return 0
    return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.#unstable - 2))
  }

  /** New instances serve: earlier ends say nothing about them. */
  reset(): void {
    this.#unstable = 0
  }
}

// Calls whose worker died while they ran, where the program asked to try them again: each after a pause, and alone.

import { startTimer } from '../../executor/timer.js'
import type { Call } from '../calls/call.js'

export interface RetryPolicy {
  /** Times that a call is tried again. */
  readonly retries: number
  /** Milliseconds before the first time; twice as long before each further one. */
  readonly backoff: number
}

export const NO_RETRIES: RetryPolicy = { retries: 0, backoff: 0 }

export class Retries {
  /** A call was tried again: some may be quarantined. */
  #hasTried = false
  readonly #policy: RetryPolicy
  readonly #tryAgain: (call: Call) => void
  readonly #pausing = new Set<Call>()
  readonly #tries = new WeakMap<Call, number>()

  constructor(policy: RetryPolicy, tryAgain: (call: Call) => void) {
    this.#policy = policy
    this.#tryAgain = tryAgain
  }

  /** Calls that pause. */
  get tasks(): Iterable<Call> {
    return this.#pausing
  }

  /** How often its worker has died while it ran. */
  deathsOf(call: Call): number {
    return this.#tries.get(call) ?? 0
  }

  /** Its worker has died: it may be what killed it, so no other call is to be with it. */
  isQuarantined(call: Call): boolean {
    return this.#hasTried && this.#tries.has(call)
  }

  /** Its worker has died. False: it was tried often enough, or cannot be sent twice. */
  take(call: Call): boolean {
    const { retries, backoff } = this.#policy
    const before = this.deathsOf(call)
    const { transfer, listener, isEach } = call.options
    const isHalfDone = isEach && call.args.length === 0
    if (before >= retries || transfer || listener?.isStream || isHalfDone) return false
    this.#hasTried = true
    this.#tries.set(call, before + 1)
    this.#pausing.add(call)
    startTimer(backoff * 2 ** before, () => {
      this.#pausing.delete(call)
      if (!call.isSettled) this.#tryAgain(call)
    })?.unref()
    return true
  }
}

// Calls whose worker died while they ran, where the program asked to try them again: each after a pause, and alone.

import { startTimer } from '../../executor/timer.js'
import type { PoolTask } from '../calls/call.js'

export interface RetryPolicy {
  /** Times that a call is tried again. */
  readonly retries: number
  /** Milliseconds before the first time; twice as long before each further one. */
  readonly backoff: number
}

export const NO_RETRIES: RetryPolicy = { retries: 0, backoff: 0 }

export class Retries {
  /** A call was tried again: there may be suspects. */
  #hasTried = false
  readonly #policy: RetryPolicy
  readonly #tryAgain: (task: PoolTask) => void
  readonly #pausing = new Set<PoolTask>()
  readonly #tries = new WeakMap<PoolTask, number>()

  constructor(policy: RetryPolicy, tryAgain: (task: PoolTask) => void) {
    this.#policy = policy
    this.#tryAgain = tryAgain
  }

  /** Calls that pause. */
  get tasks(): Iterable<PoolTask> {
    return this.#pausing
  }

  /** How often its worker has died while it ran. */
  deathsOf(task: PoolTask): number {
    return this.#tries.get(task) ?? 0
  }

  /** Its worker has died: it may be what killed it, so no other call is to be with it. */
  isSuspect(task: PoolTask): boolean {
    return this.#hasTried && this.#tries.has(task)
  }

  /** Its worker has died. False: it was tried often enough, or cannot be sent twice. */
  take(task: PoolTask): boolean {
    const { retries, backoff } = this.#policy
    const before = this.deathsOf(task)
    if (before >= retries || task.terms.transfer || task.terms.listener?.isStream) return false
    this.#hasTried = true
    this.#tries.set(task, before + 1)
    this.#pausing.add(task)
    startTimer(backoff * 2 ** before, () => {
      this.#pausing.delete(task)
      if (!task.isSettled) this.#tryAgain(task)
    })?.unref()
    return true
  }
}

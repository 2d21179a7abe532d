// What programs see of the threads of a Piscina.

import { createKeepAlive } from '../core/lifecycle.js'
import type { WorkerStats } from '../executor/executor.js'

/** One of `threads`. */
export interface PiscinaThread {
  /** As in node:worker_threads; -1 until it has begun to start. */
  readonly threadId: number
  /** Keeps the program alive until it ends. */
  ref(): void
  /** Undoes that. */
  unref(): void
}

export class ThreadViews {
  readonly #referenced = new Set<number>()
  readonly #keepAlive = createKeepAlive()

  /** `size`: those that are there, or about to start. */
  of(workers: readonly WorkerStats[], size: number): PiscinaThread[] {
    return Array.from({ length: size }, (_, i) => this.#viewOf(workers[i]?.threadId ?? -1))
  }

  onExit(threadId: number): void {
    this.#referenced.delete(threadId)
    this.#keepAlive.set(this.#referenced.size > 0)
  }

  #viewOf(threadId: number): PiscinaThread {
    return {
      threadId,
      ref: () => {
        this.#referenced.add(threadId)
        this.#keepAlive.set(true)
      },
      unref: () => this.onExit(threadId),
    }
  }
}

// Keeps a number of calls open against an executor, and counts what comes back: the load of a trial.

import { Histogram } from './histogram.js'

export interface Load {
  readonly inFlight: number
  /** True when calls run in this thread: then the driver must let the event loop turn, as a server's requests do. */
  readonly ownThread: boolean
  call(index: number): Promise<unknown>
}

export interface Counts {
  completed: number
  failed: number
  firstError: string | null
  latency: Histogram
}

/** Microtasks alone never let the loop turn: timers and sockets would starve, and the loop delay would say nothing. */
const TURN_AFTER_MS = 0.5

export class CallDriver {
  readonly #load: Load
  readonly #lanes: Promise<void>[]
  #counts = emptyCounts()
  #isStopped = false
  #next = 0
  #lastTurn = performance.now()
  #onCallEnd: (() => void) | undefined

  constructor(load: Load) {
    this.#load = load
    this.#lanes = Array.from({ length: load.inFlight }, () => this.#lane())
  }

  /** Counts for at least `ms`, and until a call has ended after that. */
  runFor(ms: number): Promise<{ counts: Counts; seconds: number }> {
    this.#counts = emptyCounts()
    const started = performance.now()
    return new Promise((resolve) => {
      this.#onCallEnd = () => {
        const elapsed = performance.now() - started
        if (elapsed < ms) return
        this.#onCallEnd = undefined
        resolve({ counts: this.#counts, seconds: elapsed / 1000 })
        this.#counts = emptyCounts()
      }
    })
  }

  /** Starts no more calls, and resolves when the open ones have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#lanes)
  }

  async #lane(): Promise<void> {
    while (!this.#isStopped) {
      const started = performance.now()
      try {
        await this.#load.call(this.#next++)
        this.#counts.completed++
      } catch (error) {
        this.#counts.failed++
        this.#counts.firstError ??= String(error)
      }
      const ended = performance.now()
      this.#counts.latency.record(Math.max(0.001, (ended - started) * 1000))
      this.#onCallEnd?.()
      if (this.#load.ownThread && ended - this.#lastTurn > TURN_AFTER_MS) await this.#turn()
    }
  }

  #turn(): Promise<void> {
    return new Promise((resolve) =>
      setImmediate(() => {
        this.#lastTurn = performance.now()
        resolve()
      }),
    )
  }
}

function emptyCounts(): Counts {
  return { completed: 0, failed: 0, firstError: null, latency: new Histogram() }
}

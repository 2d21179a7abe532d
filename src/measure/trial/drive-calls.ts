// Keeps a number of calls open against an executor, and counts what comes back: the load of a trial.

import { Histogram } from '../../primitives/histogram.js'

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

/** What a window saw. */
export interface Window {
  readonly counts: Counts
  /** Wall-clock time until the last of these calls ended. */
  readonly seconds: number
  /** Calls that ended, well or not, per second of exactly the time that was asked for, or of more if that held too few. */
  readonly callsPerSecond: number
}

/** A window that waits for its number of calls ends here all the same. */
const LONGEST_WINDOW_MS = 10_000

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

  /** Counts for at least `ms`, and until a call has ended after that and `calls` calls have ended in all. */
  runFor(ms: number, { calls: fewest = 1 } = {}): Promise<Window> {
    this.#counts = emptyCounts()
    const started = performance.now()
    let lastEndMs = 0
    let isExact = ms > 0
    return new Promise((resolve) => {
      this.#onCallEnd = () => {
        const elapsedMs = performance.now() - started
        const calls = this.#counts.completed + this.#counts.failed
        if (elapsedMs < ms) return void (lastEndMs = elapsedMs)
        if (calls < fewest && elapsedMs < LONGEST_WINDOW_MS) return void (isExact = false)
        this.#onCallEnd = undefined
        const callsPerSecond = isExact
          ? rateWithin(ms, { calls, lastEndMs, elapsedMs })
          : (1000 * calls) / elapsedMs
        resolve({ counts: this.#counts, seconds: elapsedMs / 1000, callsPerSecond })
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
      this.#counts.latency.record(ended - started)
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

/**
 * Counts the last call by the part of it that lies within the time: waiting for its end would add the rest of a freeze to
 * the time under a CPU quota, and only to the trials that happen to end in one.
 */
function rateWithin(ms: number, seen: { calls: number; lastEndMs: number; elapsedMs: number }): number {
  const { calls, lastEndMs, elapsedMs } = seen
  const part = (ms - lastEndMs) / (elapsedMs - lastEndMs)
  return (1000 * (calls - 1 + part)) / ms
}

function emptyCounts(): Counts {
  return { completed: 0, failed: 0, firstError: null, latency: new Histogram() }
}

// Asks a worker what it uses: CPU time, memory, how busy its event loop is.

import type { WorkerStats } from '../executor/executor.js'
import { startTimer } from '../executor/timer.js'
import type { ReportMessage } from '../protocol/messages.js'
import type { WorkerUsage } from '../protocol/worker-usage.js'

/** Milliseconds in which a worker answers whose thread is not kept busy by one task. */
const ANSWER_MS = 1000

export class UsageReports {
  readonly #ask: () => void
  #asked: Promise<Partial<WorkerStats> | undefined> | undefined
  #answer: ((report: Partial<WorkerStats> | undefined) => void) | undefined
  #before = { activeMs: 0, idleMs: 0 }

  constructor(ask: () => void) {
    this.#ask = ask
  }

  /** Who asks while the answer is under way gets the same one. Undefined: there was none in time. */
  ask(): Promise<Partial<WorkerStats> | undefined> {
    if (this.#asked) return this.#asked
    this.#asked = new Promise((resolve) => {
      // A late answer is that of an older question, and is dropped.
      const timer = startTimer(ANSWER_MS, () => this.#answer?.(undefined))
      this.#answer = (report) => {
        clearTimeout(timer)
        this.#asked = this.#answer = undefined
        resolve(report)
      }
    })
    this.#ask()
    return this.#asked
  }

  onReport({ usage }: ReportMessage): void {
    this.#answer?.(this.#sinceLast(usage))
  }

  /** The worker has ended. */
  onEnd(): void {
    this.#answer?.(undefined)
  }

  #sinceLast({ activeMs, idleMs, ...usage }: WorkerUsage): Partial<WorkerStats> {
    const active = Math.max(0, activeMs - this.#before.activeMs)
    const idle = Math.max(0, idleMs - this.#before.idleMs)
    this.#before = { activeMs, idleMs }
    return { ...usage, eventLoopUtilization: active + idle > 0 ? active / (active + idle) : 0 }
  }
}

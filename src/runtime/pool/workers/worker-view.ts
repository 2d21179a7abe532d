// One worker for those who look at it from outside: who it is, what it runs now, what it uses.

import type { Call } from '../calls/call.js'
import type { PoolWorker, WorkerIds } from './worker.js'
import type { WorkerIdentity } from '../../executor/stats.js'
import type { WorkerStats } from '../../executor/executor.js'
import type { ReportMessage, WorkerUsage } from '../../wire/messages.js'
import { startTimer, stopTimer } from '../../../primitives/timers.js'

export class WorkerView {
  readonly identity: WorkerIdentity
  readonly startedAt = Date.now()
  readonly reports: UsageReports
  readonly #worker: PoolWorker
  constructor(worker: PoolWorker, { id, slot }: WorkerIds) {
    this.#worker = worker
    this.identity = worker.identity ?? { id, slot, name: String(id) } // a runtime of a test may not say
    this.reports = new UsageReports(() => worker.channel.send({ type: 'inspect' }))
  }

  /** The call from the shared queue that its thread runs now. */
  get currentCall(): Call | undefined {
    return this.#worker.currentCall?.()
  }

  /** Milliseconds for which that call has blocked its thread, 0 if it is known to be short or about to begin; -1: none does. */
  get ownCallMs(): number {
    const call = this.currentCall
    if (call !== undefined && !call.placement?.isWaiting) return this.#worker.currentMs?.() ?? 0
    return this.#worker.isTaking?.() ? 0 : -1
  }

  async captureStack(): Promise<string | undefined> {
    return this.#worker.captureStack?.()
  }
}

// Asks a worker what it uses: CPU time, memory, how busy its event loop is.

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
        stopTimer(timer)
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

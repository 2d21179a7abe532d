// One worker for those who look at it from outside: who it is, what it runs now, what it uses.

import type { PoolTask } from './pool-task.js'
import type { PoolWorker, WorkerIdentity } from './pool-worker.js'
import { UsageReports } from './usage-reports.js'

export class WorkerView {
  readonly identity: WorkerIdentity
  readonly startedAt = Date.now()
  readonly reports: UsageReports
  readonly #worker: PoolWorker
  constructor(worker: PoolWorker, id: number) {
    this.#worker = worker
    this.identity = worker.identity ?? { id, name: String(id) } // a runtime of a test may not say
    this.reports = new UsageReports(() => worker.channel.send({ type: 'inspect' }))
  }

  /** The call from the shared queue that its thread runs now. */
  get currentTask(): PoolTask | undefined {
    return this.#worker.currentTask?.()
  }

  /** Milliseconds for which that call has blocked its thread, 0 if it is known to be short or about to begin; -1: none does. */
  get ownCallMs(): number {
    const task = this.currentTask
    if (task !== undefined && !task.delivery?.isWaiting) return this.#worker.currentMs?.() ?? 0
    return this.#worker.isTaking?.() ? 0 : -1
  }

  async captureStack(): Promise<string | undefined> {
    return this.#worker.captureStack?.()
  }
}

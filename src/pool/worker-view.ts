// One worker for those who look at it from outside: who it is, what it runs now, what it uses.

import type { PoolTask } from './pool-task.js'
import type { PoolWorker, WorkerIdentity } from './pool-worker.js'
import { UsageReports } from './usage-reports.js'

export class WorkerView {
  readonly identity: WorkerIdentity
  readonly startedAt = Date.now()
  readonly reports: UsageReports
  readonly #worker: PoolWorker
  /** The call of its own that it ran at the last look, and since when it did at the latest. */
  #ownCall: PoolTask | undefined
  #ownCallAt = 0

  constructor(worker: PoolWorker, id: number) {
    this.#worker = worker
    this.identity = worker.identity ?? { id, name: String(id) } // a runtime of a test may not say
    this.reports = new UsageReports(() => worker.channel.send({ type: 'inspect' }))
  }

  /** The call from the shared queue that its thread runs now. */
  get currentTask(): PoolTask | undefined {
    return this.#worker.currentTask?.()
  }

  /** Milliseconds for which it has run that call, as far as that was seen; -1: it runs none. */
  get ownCallMs(): number {
    const task = this.currentTask
    if (task === undefined) {
      this.#ownCall = undefined
      return -1
    }
    if (task !== this.#ownCall) {
      this.#ownCall = task
      this.#ownCallAt = performance.now()
    }
    return performance.now() - this.#ownCallAt
  }

  async captureStack(): Promise<string | undefined> {
    return this.#worker.captureStack?.()
  }
}

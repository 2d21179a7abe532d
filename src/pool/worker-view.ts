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

  /** Milliseconds for which that call has blocked its thread, 0 if it is known to be short; -1: none does. */
  get ownCallMs(): number {
    const task = this.currentTask
    return task === undefined || task.delivery?.isWaiting ? -1 : (this.#worker.currentMs?.() ?? 0)
  }

  /** It must be woken for a call; undefined: that cannot be told. */
  get isAsleep(): boolean | undefined {
    return this.#worker.isAsleep?.()
  }

  async captureStack(): Promise<string | undefined> {
    return this.#worker.captureStack?.()
  }
}

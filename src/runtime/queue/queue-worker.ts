// A worker of a queue: takes jobs from its store, whatever keeps that, and runs them in a pool of this process until it is closed.
//
//   store --- job --> runner --> pool (threads, processes)
//     ^                  '-- progress, done --> the caller of the job
//     '-- locks are renewed by this thread, which runs no task and so is never held up by one

import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { checkObject } from '../../errors/check-options.js'
import { inTime } from '../core/lifecycle.js'
import { startFailed } from '../core/load-error.js'
import type { Executor } from '../executor/executor.js'
import { checkMilliseconds } from '../executor/shared-options.js'
import { loadTasks } from '../task/load-task.js'
import { JobRunner } from './job-runner.js'
import type { ToWorkers, WorkerPresence } from './messages.js'
import { queueOfJob } from './own-queue.js'
import type { QueueCounts, StoreErrors, WorkerStore } from './store.js'
import { refusal, unreachable } from './unavailable.js'

/** A process that takes jobs from a queue. */
export interface QueueWorker extends AsyncDisposable {
  /** Resolves when the module is loaded and jobs are taken; rejects when that fails, and then it is closed. */
  readonly ready: Promise<void>
  /** The pool that runs the jobs: for `stats()`, `inspect()` and `prometheusText()`. */
  readonly executor: Executor
  /** What it does now. */
  stats(): QueueWorkerStats
  /** What the queue holds; rejects when the store does not answer within a second. */
  count(): Promise<QueueCounts>
  /**
   * Takes no more jobs, lets those that run finish, and ends the pool. What has not finished after `timeout` ms (default: closeTimeout,
   * 30 s) is left to the other workers, as if this one had died.
   *
   * @example process.once('SIGTERM', () => worker.close({ timeout: 20_000 }))
   */
  close(options?: { timeout?: number }): Promise<void>
}

/** What a worker of a queue does. */
export interface QueueWorkerStats {
  readonly queue: string
  /** Jobs that it runs at a time. */
  readonly places: number
  readonly running: number
  /** Since its start: jobs that it took, and of these such as a worker had taken that has died. */
  readonly started: number
  readonly startedAgain: number
  /** Since its start: jobs that gave a result, and jobs that did not. */
  readonly completed: number
  readonly failed: number
  /** The store has written something for this worker in the last seconds. */
  readonly isConnected: boolean
  /** Milliseconds of the last write there, and back; null: there was none. */
  readonly latencyMs: number | null
  readonly isClosing: boolean
}

/** Times are in milliseconds. */
export interface QueueWorkerOptions {
  readonly queue: string
  /** Jobs that run at a time. Undefined: one for each worker of the pool. */
  readonly concurrency: number | undefined
  readonly startTimeout: number
  readonly closeTimeout: number
  readonly lockDuration: number
  /** `onProblem`: why the store cannot be reached; it is tried again. */
  readonly openStore: (onProblem: (problem: string) => void) => Promise<WorkerStore>
  readonly storeErrors: StoreErrors
}

/** `url`: of the task module that the pool runs. It is loaded in this thread, too. */
export function createQueueWorker(url: string, pool: Executor, options: QueueWorkerOptions): QueueWorker {
  const worker = new JobTaker(url, pool, options)
  return {
    ready: worker.ready,
    executor: pool,
    stats: () => worker.stats,
    count: () => worker.count(),
    async close(given = {}) {
      checkObject('the options of close()', given)
      if (given.timeout !== undefined) checkMilliseconds('timeout', given.timeout)
      return worker.close(given.timeout)
    },
    [Symbol.asyncDispose]: () => worker.close(),
  }
}

/** Milliseconds that a worker without a job waits for its store when it closes: one that should answer, and one that has gone. */
const IDLE_MS = 5000
const GONE_MS = 1000
/** Milliseconds for an answer: scrapers do not wait for long. */
const COUNT_MS = 1000

class JobTaker {
  readonly ready: Promise<void>
  readonly #id = randomUUID()
  readonly #url: string
  readonly #pool: Executor
  readonly #options: QueueWorkerOptions
  readonly #runner: JobRunner
  #store: WorkerStore | undefined
  #closing: Promise<void> | undefined
  #contexts: readonly unknown[] = []
  /** Why the store cannot be reached, as far as it was told. */
  #problem = ''

  constructor(url: string, pool: Executor, options: QueueWorkerOptions) {
    this.#url = url
    this.#pool = pool
    this.#options = options
    this.#runner = new JobRunner({
      pool,
      queue: options.queue,
      contexts: () => this.#contexts,
      tellProgress: ({ id, data }, payload) =>
        this.#store!.tell(data.reply, { type: 'progress', id, payload }),
    })
    this.ready = this.#startInTime()
    this.ready.catch(() => void this.close(0))
  }

  get stats(): QueueWorkerStats {
    const { started = 0, startedAgain = 0, completed = 0, failed = 0 } = this.#store?.status ?? {}
    const { isConnected = false, latencyMs = null } = this.#store?.status ?? {}
    const { places, running, isClosing } = this.#presence
    const { queue } = this.#options
    return {
      queue,
      places,
      running,
      started,
      startedAgain,
      completed,
      failed,
      isConnected,
      latencyMs,
      isClosing,
    }
  }

  async count(): Promise<QueueCounts> {
    let counts: QueueCounts | undefined
    const asked = this.#store?.count().then((given) => void (counts = given))
    await inTime(asked ?? Promise.resolve(), COUNT_MS)
    if (!counts) throw unreachable(this.#options.queue, COUNT_MS, { why: this.#problem })
    return counts
  }

  close(timeout = this.#options.closeTimeout): Promise<void> {
    return (this.#closing ??= this.#close(timeout))
  }

  get #presence(): WorkerPresence {
    const places = this.#options.concurrency ?? Math.max(1, this.#pool.size)
    const running = this.#runner.running
    const isClosing = this.#closing !== undefined
    return { id: this.#id, host: hostname(), pid: process.pid, places, running, isClosing }
  }

  async #startInTime(): Promise<void> {
    const { startTimeout: timeout, queue } = this.#options
    await Promise.all([this.#pool.ready, this.#loadHere()]) // the pool has a limit of its own
    if (await inTime(this.#start(), timeout)) return
    throw unreachable(queue, timeout, { option: 'startTimeout', why: this.#problem })
  }

  /** For its classes and contexts: what arrives is read in this thread first. */
  async #loadHere(): Promise<void> {
    try {
      await loadTasks(this.#url)
    } catch (cause) {
      throw startFailed(this.#url, cause)
    }
  }

  async #start(): Promise<void> {
    const { lockDuration } = this.#options
    const { places } = this.#presence
    const store = await this.#options.openStore((problem) => (this.#problem = problem))
    this.#store = store
    if (this.#closing) return void store.close()
    try {
      await store.listen((message) => this.#receive(message))
      this.#contexts = queueOfJob(await store.workersChannel())
      await store.take({
        places,
        lockDuration,
        run: (job) => this.#runner.run(job),
        isLeft: (id, made) => this.#runner.isLeft(id, made),
      })
    } catch (error) {
      throw refusal(this.#options.queue, error, this.#options.storeErrors)
    }
  }

  #receive(message: ToWorkers): void {
    if (message.type === 'cancel') this.#runner.cancel(message)
    else void this.#store!.tell(message.reply, { type: 'here', worker: this.#presence })
  }

  async #close(timeout: number): Promise<void> {
    const isDone = await inTime(this.#store?.drain() ?? Promise.resolve(), this.#patience(timeout))
    if (!isDone) this.#runner.giveUp()
    await (isDone || this.#runner.running === 0 ? this.#pool.close() : this.#pool.destroy())
    await this.#store?.close()
    this.#runner.letGo()
  }

  /** A store that has gone never answers the last fetch. Whoever runs no job loses nothing by not waiting for it. */
  #patience(timeout: number): number {
    if (this.#runner.running > 0) return timeout
    return Math.min(timeout, this.#store?.status.isConnected ? IDLE_MS : GONE_MS)
  }
}

// The class Piscina: what programs that were written for piscina see of a pool of ours.

import { EventEmitterAsyncResource } from 'node:events'
import { ownOptions } from '../../errors/check-options.js'
import { startTimer, stopTimer } from '../../primitives/timers.js'
import { registry } from '../task/task-context.js'
import { AbortError } from './abort.js'
import { Calls } from './calls.js'
import { summarize, type PiscinaHistogram } from './histogram.js'
import { move, queueOptionsSymbol, transferableSymbol, valueSymbol } from './movable.js'
import { fillOptions, type FilledOptions, type PiscinaOptions } from './options.js'
import { PiscinaWorkers } from './piscina-workers.js'
import { checkRequest, type RunOptions } from './run-request.js'
import { ArrayTaskQueue, FixedQueue } from './task-queue.js'
import { ThreadViews, type PiscinaThread } from './thread-views.js'
import { isPiscinaInit } from './piscina-init.js'

/** Of the piscina whose interface this is. */
export const version = '5.3.2'

const terminated = () => new Error('Terminating worker thread')

/**
 * A pool of threads with the interface of piscina 5, on the threads of threadwise.
 *
 * @example
 * import { Piscina } from 'threadwise/piscina'
 * const pool = new Piscina({ filename: new URL('./worker.js', import.meta.url).href })
 * console.log(await pool.run({ a: 4, b: 6 }))
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as piscina has it: without types a task may be anything
export class Piscina<T = any, R = any> extends EventEmitterAsyncResource {
  readonly #options: FilledOptions
  readonly #calls: Calls
  readonly #views = new ThreadViews()
  readonly #began = performance.now()
  #workers: PiscinaWorkers | undefined
  #isEnding = false

  constructor(options: PiscinaOptions = {}) {
    super({ name: 'Piscina' })
    this.#options = fillOptions(options)
    const emit = (event: string) => void this.emit(event)
    this.#calls = new Calls(this.#options, () => (this.#workers ??= this.#start(0)), emit)
    this.#workers = this.#start(this.#options.minThreads)
  }

  /**
   * Calls the task with one argument, and gives the promise of its result.
   *
   * @throws (as a rejection) what the task throws; AbortError; DataCloneError; 'Task queue is at limit'; 'Terminating worker thread' ...
   */
  run(task: T, options: RunOptions = {}): Promise<R> {
    try {
      const request = checkRequest(task, options, this.#options)
      if (this.#isEnding) throw new AbortError('queue is being terminated')
      return this.#calls.run(request) as Promise<R>
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** The form of piscina 4. @deprecated Use run(). */
  runTask(
    task: T,
    transferList?: RunOptions['transferList'] | RunOptions['signal'],
    filename?: RunOptions['filename'] | RunOptions['signal'],
    signal?: RunOptions['signal'],
  ): Promise<R> {
    if (typeof transferList === 'object' && !Array.isArray(transferList))
      return this.run(task, { signal: transferList as RunOptions['signal'] })
    const list = transferList as RunOptions['transferList']
    if (typeof filename === 'object' && filename !== null)
      return this.run(task, { transferList: list, signal: filename })
    return this.run(task, { transferList: list, filename: filename as string, signal })
  }

  /** Takes no more calls, lets those that are open end, and ends the threads. `force`: gives up those that wait. */
  async close(options: { readonly force?: boolean } = {}): Promise<void> {
    if (options === null || typeof options !== 'object') throw new TypeError('options must be an object')
    const { force = false } = ownOptions(options)
    if (typeof force !== 'boolean') throw new TypeError('force argument must be a boolean')
    this.#isEnding = true
    if (force) this.#calls.failAll('waiting', () => new AbortError('pool is closed'))
    try {
      if (!(await this.#idleInTime())) this.emit('error', new Error('Close operation timed out'))
    } finally {
      await this.destroy()
      this.emit('close')
    }
  }

  /** Gives up all calls, and ends the threads. A call that is made later starts threads again. */
  async destroy(): Promise<void> {
    this.#isEnding = true
    this.#calls.failAll('all', terminated)
    const workers = this.#workers
    this.#workers = undefined
    await workers?.end()
    this.#isEnding = false
  }

  /** close(), without waiting for it. */
  [Symbol.dispose](): void {
    void this.close()
  }

  /** close(). */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** The option. */
  get maxThreads(): number {
    return this.#options.maxThreads
  }

  /** The option. */
  get minThreads(): number {
    return this.#options.minThreads
  }

  /** All of them, with their defaults. */
  get options(): FilledOptions {
    return this.#options
  }

  /** Those that are there, or start. */
  get threads(): PiscinaThread[] {
    const { workers = [], size = 0 } = this.#workers ?? {}
    return this.#views.of(workers, size)
  }

  /** Threads without a call. */
  get idleThreads(): number {
    const { concurrentTasksPerWorker } = this.#options
    const busy = Math.ceil(this.#calls.taken / concurrentTasksPerWorker)
    return Math.max(0, (this.#workers?.size ?? 0) - busy)
  }

  /** Calls that wait. */
  get queueSize(): number {
    return this.#calls.waiting
  }

  /** Calls that have settled. */
  get completed(): number {
    return this.#calls.completed
  }

  /** How long calls have run and waited. */
  get histogram(): PiscinaHistogram {
    const { times } = this.#calls
    return {
      get runTime() {
        return (times && summarize(times.run))!
      },
      get waitTime() {
        return (times && summarize(times.wait))!
      },
      resetRunTime: () => times?.run.reset(),
      resetWaitTime: () => times?.wait.reset(),
    }
  }

  /** Share of the time, 0 to 1, in which maxThreads threads would have run calls. */
  get utilization(): number {
    const run = this.#calls.times?.run
    if (!run || run.count === 0) return 0
    return ((run.mean / 1000) * run.count) / (this.duration * this.maxThreads)
  }

  /** Milliseconds since the pool was made. */
  get duration(): number {
    return performance.now() - this.#began
  }

  /** As many calls run as can. */
  get needsDrain(): boolean {
    return this.#calls.needsDrain
  }

  /** True in a thread of a Piscina. */
  static get isWorkerThread(): boolean {
    return isPiscinaInit(registry.place?.workerData)
  }

  /** In a thread of a Piscina: what that was given as workerData. */
  static get workerData(): unknown {
    const given = registry.place?.workerData
    return isPiscinaInit(given) ? given.data : undefined
  }

  /** Of the piscina whose interface this is. */
  static get version(): string {
    return version
  }

  /** The class itself. */
  static get Piscina() {
    return Piscina
  }

  /** The class of that name. */
  static get FixedQueue() {
    return FixedQueue
  }

  /** The class of that name. */
  static get ArrayTaskQueue() {
    return ArrayTaskQueue
  }

  /** Marks a value to be moved. */
  static get move() {
    return move
  }

  /** The symbol of that name. */
  static get transferableSymbol() {
    return transferableSymbol
  }

  /** The symbol of that name. */
  static get valueSymbol() {
    return valueSymbol
  }

  /** The symbol of that name. */
  static get queueOptionsSymbol() {
    return queueOptionsSymbol
  }

  #start(min: number): PiscinaWorkers {
    return new PiscinaWorkers(this.#options, min, {
      onUp: (worker) => {
        this.emit('workerCreate', worker)
        this.#calls.onThread()
      },
      onExited: (worker) => {
        this.#views.onExit(worker.threadId)
        this.emit('workerDestroy', worker)
      },
      onMessage: (message) => void this.emit('message', message),
      onError: (error) => this.#onError(error),
    })
  }

  /** Calls that the worker had reject with it, in a moment; then nobody else need be told. */
  #onError(error: unknown): void {
    setImmediate(() => {
      if (this.#calls.hasFailedWith(error)) return
      if (this.listenerCount('error') > 0) this.emit('error', error)
      else process.emitWarning(error as Error)
    })
  }

  /** Whether all calls have ended within closeTimeout. */
  #idleInTime(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = startTimer(this.#options.closeTimeout, () => resolve(false))
      timer?.unref()
      void this.#calls.idle().then(() => {
        stopTimer(timer)
        resolve(true)
      })
    })
  }
}

/** True in a thread of a Piscina. */
export const isWorkerThread: boolean = Piscina.isWorkerThread
/** In a thread of a Piscina: what that was given as workerData. */
export const workerData: unknown = Piscina.workerData

// The threads as a load balancer of the user sees them, which chooses one for each call.

import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import type { WorkerStats } from '../executor/executor.js'
import { record, summarize, type PiscinaHistogramSummary } from './histogram.js'
import type { PiscinaTask } from './task-queue.js'

/** One of the threads among which a load balancer chooses. */
export interface PiscinaWorker {
  /** Its threadId; -1 until it has begun to start. */
  readonly id: number
  /** Calls that it has. */
  readonly currentUsage: number
  /** It has one call, which has a signal. */
  readonly isRunningAbortableTask: boolean
  /** How long its calls have run; null without `workerHistogram`. */
  readonly histogram: PiscinaHistogramSummary | null
  /** Always false: a thread is there, or destroyed. */
  readonly terminating: boolean
  /** It takes no more calls. */
  readonly destroyed: boolean
}

/** Chooses a thread for the next call; null: it waits. */
export type PiscinaLoadBalancer = (task: PiscinaTask, workers: PiscinaWorker[]) => PiscinaWorker | null

/** The thread that a call is given, and its end. */
export interface ChosenThread {
  /** Its place in the pool, from 0. */
  readonly lane: number
  begin(task: PiscinaTask): void
  end(task: PiscinaTask, ranMs: number): void
}

interface BalancedOptions {
  readonly loadBalancer: PiscinaLoadBalancer
  readonly workerHistogram: boolean
}

interface Threads {
  /** Those that are there, or about to start. */
  readonly size: number
  /** Those that are there. */
  readonly workers: readonly WorkerStats[]
}

export class BalancedThreads {
  readonly #options: BalancedOptions
  readonly #threads: Threads
  /** By their places. */
  #views: readonly ThreadView[] = []

  constructor(options: BalancedOptions, threads: Threads) {
    this.#options = options
    this.#threads = threads
  }

  /** Undefined: the call waits. Whatever else the balancer gives is none of the threads. */
  choose(task: PiscinaTask): ChosenThread | undefined {
    this.#look()
    const views = [...this.#views]
    const candidate = this.#options.loadBalancer(task, views)
    return views.find((view) => view === candidate)
  }

  #look(): void {
    const { size, workers } = this.#threads
    const before = this.#views
    this.#views = Array.from({ length: size }, (_, lane) => {
      const worker = workers.find(({ slot }) => slot === lane + 1)
      const view = before[lane]
      if (view?.isFor(worker)) return view
      return new ThreadView(lane, worker, { ...this.#options, workers: () => this.#threads.workers })
    })
  }
}

class ThreadView implements PiscinaWorker, ChosenThread {
  readonly lane: number
  readonly terminating = false
  #worker: WorkerStats | undefined
  readonly #workers: () => readonly WorkerStats[]
  readonly #times: RecordableHistogram | undefined
  readonly #calls = new Set<PiscinaTask>()

  /** `worker`: undefined until it starts. */
  constructor(
    lane: number,
    worker: WorkerStats | undefined,
    { workerHistogram, workers }: BalancedOptions & { readonly workers: () => readonly WorkerStats[] },
  ) {
    this.lane = lane
    this.#worker = worker
    this.#workers = workers
    this.#times = workerHistogram ? createHistogram() : undefined
  }

  /** It is this thread, or was about to start. */
  isFor(worker: WorkerStats | undefined): boolean {
    this.#worker ??= worker
    return this.#worker?.id === worker?.id
  }

  get id(): number {
    return this.#worker?.threadId ?? -1
  }

  get currentUsage(): number {
    return this.#calls.size
  }

  get isRunningAbortableTask(): boolean {
    return this.#calls.size === 1 && [...this.#calls][0]!.isAbortable
  }

  get histogram(): PiscinaHistogramSummary | null {
    return this.#times ? summarize(this.#times) : null
  }

  get destroyed(): boolean {
    const worker = this.#worker
    return worker !== undefined && !this.#workers().some(({ id }) => id === worker.id)
  }

  begin(task: PiscinaTask): void {
    this.#calls.add(task)
  }

  end(task: PiscinaTask, ranMs: number): void {
    this.#calls.delete(task)
    if (this.#times) record(this.#times, ranMs)
  }
}

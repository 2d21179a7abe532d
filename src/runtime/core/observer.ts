// Watches the calls of one executor: times some of them for stats(), and tells the channels of node:diagnostics_channel.
//
// To time a call costs half a microsecond or so, a plain call over shared memory about as much. So where many calls are made
// one in 128 is timed: each with the same chance, whatever the others are, so that no pattern among the calls can favour some.
// Its times count as those of 128. Where calls are rare all are timed, and count as one. The chance is settled before the call is made, so
// sums and shares are those of all calls, on average. How many calls there were is counted, not estimated.

import type { Durations } from '../executor/executor.js'
import type { ExecutorKind, Outcome, TaskTimes, WorkerIdentity } from '../executor/stats.js'
import { Histogram } from '../../primitives/histogram.js'
import { enterLater, type Enter } from '../task/async-scope.js'
import { shownName } from '../task/task-function.js'
import { machineNow } from '../wire/machine-clock.js'

const ONE_IN = 128
const LOG_OTHERS = Math.log(1 - 1 / ONE_IN)
/** Milliseconds from call to call above which they are rare. */
const COLD_MS = 0.1
/** Functions whose times are told apart. A program whose names never end must not fill the memory. */
const MAX_TASKS = 100

/** A call that is timed. Times are those of machine-clock.ts. */
export interface CallTiming {
  readonly acceptedAt: number
  /** 0: it has not, as far as is known. */
  startedAt: number
  /** The worker that has started it. */
  workerId: number | undefined
  /** Milliseconds until the function has returned in its worker; undefined: not known, or it has returned a promise. */
  busyMs: number | undefined
  /** Not through shared memory. Known once its worker has answered. */
  wentByMessage: boolean
  /** Calls that it stands for in the statistics; 0: it is timed for subscribers only. */
  readonly weight: number
  /** Into the contexts of its caller: where subscribers are told of calls, or tasks call functions of the program. */
  readonly inContexts: Enter | undefined
}

export interface ObserverSource {
  /** The name of the executor. */
  readonly name: string
  readonly kind: ExecutorKind
  /** Tasks call functions of the program, each in the contexts of the caller of its call. */
  readonly callsBack?: boolean | undefined
}

type Figures = Omit<Durations, 'count' | 'timed'>

interface Times {
  readonly wait: Histogram
  readonly run: Histogram
}

interface WorkerEnd {
  /** "with exit code 3" */
  readonly how: string
  /** The error that has ended it, if there was one. */
  readonly cause?: unknown
  /** The pool has asked for it. */
  readonly isExpected: boolean
}

export class Observer {
  readonly #executor: { readonly executor: string; readonly kind: ExecutorKind }
  readonly #callsBack: boolean
  /** Told of each timed call that ends after it has started. */
  onTimed: ((timing: CallTiming, task: string, outcome: Outcome) => void) | undefined
  /** Calls that have settled after they had started. Each is counted, timed or not. */
  ran = 0
  /** Those of them whose times are known. */
  #timed = 0
  readonly #times = createTimes()
  /** By the names of tasks. */
  readonly #ofTasks = new Map<string, Times>()
  /** Calls up to the next one that is timed, with it. */
  #left = 1
  #gap = 1
  /** Of the next one. */
  #weight = 1
  #lastAt = -Infinity
  #timesNext = false

  constructor({ name, kind, callsBack = false }: ObserverSource) {
    this.#executor = { executor: name, kind }
    this.#callsBack = callsBack
  }

  /** As warnings name it: threads "render". */
  get executor(): string {
    return `${this.#executor.kind} ${JSON.stringify(this.#executor.executor)}`
  }

  get durations(): { readonly wait: Durations; readonly run: Durations; readonly tasks: TaskTimes[] } {
    const counts = { count: this.ran, timed: this.#timed }
    const { wait, run } = figuresOf(this.#times)
    return {
      wait: { ...counts, ...wait },
      run: { ...counts, ...run },
      tasks: [...this.#ofTasks].map(([task, times]) => ({
        task,
        calls: times.run.count,
        ...figuresOf(times),
      })),
    }
  }

  /** To be called for each call that is accepted. Undefined: this one is not timed. */
  accept(task: string): CallTiming | undefined {
    const isDrawn = --this.#left === 0
    if (!isDrawn && !this.#timesNext && !this.#keepsContexts) return undefined
    const now = machineNow()
    return this.#begin(task, now, isDrawn ? this.#next(now) : 0)
  }

  /** Times the next call, whether or not it is one of those for the statistics. */
  timeNext(): void {
    this.#timesNext = true
  }

  /** A call ends that accept() has given this for. */
  settle(timing: CallTiming, task: string, outcome: Outcome): void {
    const { acceptedAt, startedAt, weight, workerId } = timing
    const hasStarted = startedAt !== 0
    const waitMs = hasStarted ? Math.max(0, startedAt - acceptedAt) : undefined
    const runMs = hasStarted ? Math.max(0, machineNow() - startedAt) : undefined
    if (weight > 0 && hasStarted) {
      this.#record(task, waitMs!, runMs!, weight)
    }
    if (hasStarted) this.onTimed?.(timing, task, outcome)
    const { inContexts } = timing
    if (!inContexts || !channels.settled.hasSubscribers) return
    const message = { ...this.#executor, task: shownName(task), outcome, waitMs, runMs, workerId }
    inContexts(() => channels.settled.publish(message))
  }

  /** A call is accepted that ends before it could start. */
  endAtOnce(task: string, outcome: Outcome): void {
    const timing = this.accept(task)
    if (timing) this.settle(timing, task, outcome)
  }

  onUp(worker: WorkerIdentity): void {
    if (channels.up.hasSubscribers) channels.up.publish(this.#describe(worker))
  }

  onExited(worker: WorkerIdentity, { how, cause, isExpected }: WorkerEnd): void {
    if (!channels.exited.hasSubscribers) return
    const message = { ...this.#describe(worker), how, isExpected }
    channels.exited.publish(cause === undefined ? message : { ...message, cause })
  }

  /** Of a task, and no business of the pool's. */
  onMessage(worker: WorkerIdentity, message: unknown): void {
    if (channels.message.hasSubscribers) channels.message.publish({ ...this.#describe(worker), message })
  }

  onFull(task: string, maxQueue: number, whenFull: string): void {
    if (channels.full.hasSubscribers)
      channels.full.publish({ ...this.#executor, task: shownName(task), maxQueue, whenFull })
  }

  onRoom(): void {
    if (channels.room.hasSubscribers) channels.room.publish(this.#executor)
  }

  #begin(task: string, acceptedAt: number, weight: number): CallTiming {
    this.#timesNext = false
    const timing = {
      acceptedAt,
      startedAt: 0,
      workerId: undefined,
      busyMs: undefined,
      wentByMessage: false,
      weight,
      inContexts: this.#keepsContexts ? enterLater() : undefined,
    }
    if (channels.accepted.hasSubscribers)
      channels.accepted.publish({ ...this.#executor, task: shownName(task) })
    return timing
  }

  #record(task: string, waitMs: number, runMs: number, weight: number): void {
    this.#timed++
    const name = shownName(task)
    if (!this.#ofTasks.has(name) && this.#ofTasks.size < MAX_TASKS) this.#ofTasks.set(name, createTimes())
    for (const times of [this.#times, this.#ofTasks.get(name)]) {
      times?.wait.record(waitMs, weight)
      times?.run.record(runMs, weight)
    }
  }

  get #keepsContexts(): boolean {
    return this.#callsBack || areCallsTold()
  }

  /** The weight of this call. Draws how many calls come before the next one that is timed. */
  #next(now: number): number {
    const weight = this.#weight
    const isRare = now - this.#lastAt >= COLD_MS * this.#gap
    this.#lastAt = now
    this.#weight = isRare ? 1 : ONE_IN
    // As if a die with 128 sides were thrown for each call.
    this.#gap = isRare ? 1 : 1 + Math.floor(Math.log(1 - Math.random()) / LOG_OTHERS)
    this.#left = this.#gap
    return weight
  }

  #describe({ id, slot, name, threadId, pid }: WorkerIdentity) {
    const own = threadId === undefined ? { pid } : { threadId }
    return { ...this.#executor, workerId: id, slot, name, ...own }
  }
}

function createTimes(): Times {
  return { wait: new Histogram(), run: new Histogram() }
}

function figuresOf({ wait, run }: Times): { readonly wait: Figures; readonly run: Figures } {
  const of = (times: Histogram) => ({
    mean: times.meanMs,
    p50: times.percentile(0.5),
    p99: times.percentile(0.99),
    max: times.maxMs,
  })
  return { wait: of(wait), run: of(run) }
}

// The channels of node:diagnostics_channel on which pools tell what happens. docs/observing.md says what each message holds.

interface Channel {
  readonly hasSubscribers: boolean
  publish(message: object): void
}

const silent: Channel = { hasSubscribers: false, publish() {} }

// Asked for at run time, and not imported: where this is no Node, nobody can subscribe.
const diagnostics = process.getBuiltinModule?.('node:diagnostics_channel')
const open = (name: string): Channel => diagnostics?.channel(`threadwise:${name}`) ?? silent

/** Somebody is told of each call. */
export function areCallsTold(): boolean {
  return channels.accepted.hasSubscribers || channels.settled.hasSubscribers
}

export const channels = {
  accepted: open('call:accepted'),
  settled: open('call:settled'),
  up: open('worker:up'),
  exited: open('worker:exited'),
  message: open('worker:message'),
  full: open('queue:full'),
  room: open('queue:room'),
} as const

// What an executor tells of its calls and of its workers.

/** The executors: each value is also the name of the function that creates one. */
export type ExecutorKind = 'inline' | 'concurrent' | 'threads' | 'processes' | 'adaptive' | 'bullmq' | 'web'

/** Those that a program of Node makes by their name. */
export type NamedKind = Exclude<ExecutorKind, 'web'>

const KINDS = ['inline', 'concurrent', 'threads', 'processes', 'adaptive', 'bullmq'] as const
type Missing = Exclude<NamedKind, (typeof KINDS)[number]>
/** All of them: the compiler refuses a list in which one is missing. */
export const NAMED_KINDS: readonly NamedKind[] = KINDS satisfies [Missing] extends [never] ? unknown : never

/** How long something took, in milliseconds. Null while nothing of it was measured. */
export interface Durations {
  /** Calls that have started and settled: exact. Of those that were given up, the ones that are known to have started. */
  readonly count: number
  /**
   * Those of them that were timed, from which the figures below come. Where calls follow each other within 0.1 ms one in 128 is timed, picked by
   * chance, and its times stand for 128.
   */
  readonly timed: number
  /** Of the calls that were timed, as are the percentiles. */
  readonly mean: number | null
  /** Half of the calls took no longer; within 1 %. */
  readonly p50: number | null
  /** 99 of 100 calls took no longer; within 1 %. */
  readonly p99: number | null
  /** Of those that were timed. */
  readonly max: number | null
}

/** The times of one function's calls, from those of them that were timed. In milliseconds. */
export interface TaskTimes {
  /** The name of the function. */
  readonly task: string
  /** Calls that have started and settled. Where one in 128 is timed it is an estimate. */
  readonly calls: number
  /** From acceptance to start. */
  readonly wait: Omit<Durations, 'count' | 'timed'>
  /** From start to settlement. */
  readonly run: Omit<Durations, 'count' | 'timed'>
}

/** One worker of a pool. What only the worker itself knows is null in `stats()`, and asked for by `inspect()`. */
export interface WorkerStats {
  /** Number within the pool, from 1. A worker that replaces another has a new one. */
  readonly id: number
  /** Its place among the workers of the pool, from 1. A worker that replaces another has the same. */
  readonly slot: number
  /** The pool's name and the id: what debuggers and the operating system show. */
  readonly name: string
  /** Of a thread, as in node:worker_threads. */
  readonly threadId?: number
  /** Of a process. */
  readonly pid?: number
  /** As `top -H` and /proc name its thread. Null also where there is no /proc. */
  readonly osThreadId: number | null
  /**
   * 'leaving': it does what it has, and then ends. 'blocked' (only `inspect()`): it did not answer within a second, since a
   * task keeps its thread busy.
   */
  readonly state: 'starting' | 'up' | 'leaving' | 'ending' | 'blocked'
  /** Name of the task that keeps its thread busy now, as far as that is known. */
  readonly task: string | null
  /** Calls that it is known to have: running, waiting on promises, or sent to it. */
  readonly running: number
  /** Calls that it has answered, whatever the outcome. */
  readonly completed: number
  /** Milliseconds since 1970, as from Date.now(). */
  readonly startedAt: number
  /** Milliseconds of CPU time since its start. Null also where the platform does not tell (threads: Node before 23.9, not on Linux). */
  readonly cpu: number | null
  /** Bytes of its JavaScript heap that are in use, with garbage that was not collected yet. */
  readonly heapBytes: number | null
  /** Resident memory of a process; null for a thread. */
  readonly rssBytes: number | null
  /** Share of the time, 0 to 1, in which its thread was busy, since `inspect()` asked before, or since its start. */
  readonly eventLoopUtilization: number | null
}

/** Counters of an executor. `queued` and `running` are gauges, the others only grow. */
export interface ExecutorStats {
  /** Which executor this is. */
  readonly kind: ExecutorKind
  /** The option of that name. */
  readonly name: string
  /** Workers that are up or starting; 1 for inline; the concurrency of concurrent. */
  readonly size: number
  /** Accepted and not yet given to a worker. */
  readonly queued: number
  /** Given to a worker (or called) and not settled. */
  readonly running: number
  /** Settled with a result. */
  readonly completed: number
  /** Settled with an error other than cancellation. */
  readonly failed: number
  /** Settled because the caller aborted. */
  readonly cancelled: number
  /** Turned away at once because the queue was full (`whenFull`): not accepted, and in none of the other counts. */
  readonly refused: number
  /** From acceptance to start, of calls that have settled. */
  readonly wait: Durations
  /** From start to settlement, of calls that have settled. */
  readonly run: Durations
  /** The same for each function that was called, in the order of their first timed call, up to 100 of them. */
  readonly tasks: readonly TaskTimes[]
  /** Of threads and processes; empty for the others. */
  readonly workers: readonly WorkerStats[]
  /** Of `adaptive`: what it has learned of each function that was called, and where it runs it. */
  readonly decisions?: readonly AdaptiveDecision[]
  /** Of `executor()`: why this executor was picked. */
  readonly profile?: ProfileChoice
}

/** Where `adaptive` runs the calls of a function: 'alone' is inline while nobody else waits for the event loop or a worker. */
export type AdaptivePlace = 'inline' | 'alone' | 'pool'

/** What `adaptive` has learned of one function. Means forget what is old. */
export interface AdaptiveDecision {
  /** The name of the function. */
  readonly task: string
  /** Where its calls run. */
  readonly place: AdaptivePlace
  /**
   * 'unknown': fewer than three calls were timed. 'asynchronous': it gives promises. 'blocks': some calls take longer than
   * maxBlock. 'short': it costs no more here than to hand it over. 'round-trip': the round trip to a worker would cost a call that
   * is alone more than the workers gain. 'long': none of these.
   */
  readonly reason: 'unknown' | 'asynchronous' | 'blocks' | 'short' | 'round-trip' | 'long'
  /** Calls without options so far, without those that map() has sent together. */
  readonly calls: { readonly inline: number; readonly pool: number }
  /** Microseconds that it runs. Null while that is unknown. */
  readonly runUs: number | null
  /** Microseconds for the copy of its arguments in the caller's thread; 0 where nothing is copied. */
  readonly copyUs: number
  /** Microseconds of the caller's thread to hand a call over to a worker. */
  readonly handOverUs: number
}

/** What `executor()` chose, and why. */
export interface ProfileChoice {
  /** Path of the profile that it follows; null: nothing was measured, or THREADWISE_EXECUTOR says what runs. */
  readonly file: string | null
  /** The CPU limit at which the choice was measured; null in the same cases. */
  readonly measuredCpus: number | null
  /** The CPU budget that was found at run time. */
  readonly budgetCpus: number
  /** For people: the advice of the measurement, or what to do so that there is one. */
  readonly sentence: string
}

export type Outcome = 'completed' | 'failed' | 'cancelled'

/** How many calls are in each state. */
export type Counts = Readonly<Record<'queued' | 'running' | Outcome, number>>

export const NO_COUNTS: Counts = Object.freeze({
  queued: 0,
  running: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
})

export function addCounts(a: Counts, b: Counts): Counts {
  return {
    queued: a.queued + b.queued,
    running: a.running + b.running,
    completed: a.completed + b.completed,
    failed: a.failed + b.failed,
    cancelled: a.cancelled + b.cancelled,
  }
}

/** As the operating system and the user know a worker. */
export interface WorkerIdentity {
  /** Number within the pool, from 1. */
  readonly id: number
  /** Its place among the workers that there are, from 1. */
  readonly slot: number
  readonly name: string
  readonly threadId?: number
  readonly pid?: number
}

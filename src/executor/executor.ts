// The contract: what every executor offers, whatever runs the tasks.

import type { TaskFunction } from '../task/task-function.js'

/** A task module: plain exported functions. */
export type TaskModule = object

type FunctionKeys<T> = { [K in keyof T]: T[K] extends TaskFunction ? K : never }[keyof T] & string

/** The names of the tasks of a module; any string when the module's type is not known. */
export type TaskName<T> = [FunctionKeys<T>] extends [never] ? string : FunctionKeys<T>

export type TaskArguments<T, K> = K extends keyof T
  ? T[K] extends TaskFunction
    ? Parameters<T[K]>
    : never
  : unknown[]

export type TaskResult<T, K> = K extends keyof T
  ? T[K] extends TaskFunction
    ? Awaited<ReturnType<T[K]>>
    : never
  : Untyped

/** Each function of the module as an async function. */
export type Tasks<T> = [FunctionKeys<T>] extends [never]
  ? Untyped
  : { readonly [K in FunctionKeys<T>]: (...args: TaskArguments<T, K>) => Promise<TaskResult<T, K>> }

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a module without types gives results without types
type Untyped = any

export type ExecutorKind = 'inline' | 'concurrent' | 'threads' | 'processes'

/** What differs between executors, so that a program can ask instead of finding out. */
export interface Capabilities {
  /** Tasks run on more than one CPU at a time. */
  readonly parallel: boolean
  /** A task that exits, crashes or loops for ever leaves the caller alive. */
  readonly isolated: boolean
  /** Arguments and results are structured clones; otherwise caller and task share them. */
  readonly copies: boolean
  /** `transfer` moves an ArrayBuffer instead of copying it. */
  readonly transfer: boolean
  /** A SharedArrayBuffer among the arguments is shared with the task. */
  readonly sharedMemory: boolean
}

/** Options of one call. */
export interface RunOptions {
  /** Aborting rejects the call with `signal.reason`; inside the task, `task.signal` aborts. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds that the task may run, not counting the time in the queue. Default: no limit. */
  readonly timeout?: number | undefined
  /** Milliseconds that the call may wait before it starts; then TW_ERR_QUEUE_TIMEOUT. Default: no limit. */
  readonly queueTimeout?: number | undefined
  /**
   * Whole number from -20 to 20: of the calls that wait, those with a higher one go first, those with the same one in
   * their order. Every eighth time a lower one has its turn, so none waits for ever. Default 0.
   */
  readonly priority?: number | undefined
  /**
   * Milliseconds that an aborted or timed-out task gets to end by itself; after that its worker is replaced if the task
   * still blocks it. Default 1000.
   */
  readonly gracePeriod?: number | undefined
  /** ArrayBuffers and MessagePorts among the arguments to move instead of copying (threads only). */
  readonly transfer?: readonly Transferable[] | undefined
  /**
   * Calls with the same key run in the same worker, in their order, for instance because it keeps a cache. They wait for it
   * even when others are idle. If the worker dies, the one that replaces it takes over.
   */
  readonly key?: string | number | undefined
}

/** Whatever the runtime can move: an ArrayBuffer, or a MessagePort of node:worker_threads. */
export type Transferable = ArrayBuffer | MessagePortLike

interface MessagePortLike {
  postMessage(message: unknown): void
  close(): void
}

/** Counters of an executor. `queued` and `running` are gauges, the others only grow. */
export interface ExecutorStats {
  readonly kind: ExecutorKind
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
  /** Turned away because the queue was full (`whenFull`): not accepted, and in none of the other counts. */
  readonly refused: number
  /** Why this executor was picked, when `executor()` picked it by a saved profile. */
  readonly profile?: ProfileChoice
}

export interface ProfileChoice {
  readonly file: string
  /** The CPU limit at which the choice was measured, and the budget found at run time. */
  readonly measuredCpus: number
  readonly budgetCpus: number
  readonly sentence: string
}

/**
 * Runs the functions of one task module. All executors offer this, so changing the executor changes one word.
 *
 * Every promise settles: with the task's result, with the error that the task threw, or with an error whose code is in
 * docs/errors.md. Rejection is always asynchronous.
 */
export interface Executor<T = TaskModule> extends AsyncDisposable {
  readonly kind: ExecutorKind
  readonly capabilities: Capabilities
  /** Resolves when all workers have loaded the module; rejects when that fails. Calls need not wait for it. */
  readonly ready: Promise<void>
  /** The module's functions, as async functions. */
  readonly tasks: Tasks<T>
  /**
   * Calls one task.
   *
   * With threads and processes the arguments are copied when the call is sent, which may be later than this call of
   * `run`: do not change them before the promise settles.
   *
   * @example const html = await pool.run('render', [data], { signal, timeout: 500 })
   */
  run<K extends TaskName<T>>(
    name: K,
    args?: TaskArguments<T, K>,
    options?: RunOptions,
  ): Promise<TaskResult<T, K>>
  /**
   * Calls the task once for each input, which is its only argument, and gives the results in the order of the inputs.
   * The first error rejects the whole map and stops handing out inputs. Pools send many short calls as one; while that is
   * under way, `stats()` counts it as one.
   *
   * @example const pages = await pool.map('render', rows)
   */
  map<K extends TaskName<T>>(
    name: K,
    inputs: Iterable<TaskArguments<T, K>[0]> | AsyncIterable<TaskArguments<T, K>[0]>,
    options?: RunOptions,
  ): Promise<TaskResult<T, K>[]>
  stats(): ExecutorStats
  /**
   * Takes no more tasks, lets the accepted ones finish, then ends the workers. What has not finished after `timeout` ms
   * (default: the executor's closeTimeout, 30 s) is rejected with TW_ERR_CLOSED.
   */
  close(options?: { timeout?: number }): Promise<void>
  /** Rejects all tasks with TW_ERR_DESTROYED (its `cause` is `reason`) and ends the workers at once. */
  destroy(reason?: unknown): Promise<void>
}

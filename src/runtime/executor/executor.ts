// The contract: what every executor offers, whatever runs the tasks.

import type { TaskFunction } from '../task/task-function.js'
import type { ExecutorStats, ExecutorKind } from './stats.js'

export type {
  AdaptiveDecision,
  AdaptivePlace,
  Durations,
  ExecutorStats,
  ProfileChoice,
  WorkerStats,
} from './stats.js'

/** A task module: plain exported functions. */
export type TaskModule = object

type FunctionKeys<T> = { [K in keyof T]: T[K] extends TaskFunction ? K : never }[keyof T] & string

/** The names of the tasks of a module; any string when the module's type is not known. */
export type TaskName<T> = [FunctionKeys<T>] extends [never] ? string : FunctionKeys<T>

/** The arguments of a task, as a list. */
export type TaskArguments<T, K> = K extends keyof T
  ? T[K] extends TaskFunction
    ? Parameters<T[K]>
    : never
  : unknown[]

/** What the promise of a call gives: the result of the task, awaited. */
export type TaskResult<T, K> = K extends keyof T
  ? T[K] extends TaskFunction
    ? Awaited<ReturnType<T[K]>>
    : never
  : Untyped

type ItemOf<R> = 0 extends 1 & R
  ? Untyped
  : R extends string
    ? never
    : R extends AsyncIterable<infer Item>
      ? Item
      : R extends Iterable<infer Item>
        ? Awaited<Item>
        : never

/** What `stream` gives of a task: the items of its generator, iterable or async iterable. */
export type TaskItem<T, K> = K extends keyof T ? ItemOf<TaskResult<T, K>> : Untyped

/** The names of the tasks that `stream` can call; any string when the module's type is not known. */
export type StreamName<T> = [FunctionKeys<T>] extends [never]
  ? string
  : { [K in FunctionKeys<T>]: [TaskItem<T, K>] extends [never] ? never : K }[FunctionKeys<T>]

/** Each function of the module as an async function. */
export type Tasks<T> = [FunctionKeys<T>] extends [never]
  ? Untyped
  : { readonly [K in FunctionKeys<T>]: (...args: TaskArguments<T, K>) => Promise<TaskResult<T, K>> }

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a module without types gives results without types
type Untyped = any

/** A number of workers, or a range: `min` (default 1) are always there, up to `max` start when calls wait. */
export type Size = number | { readonly min?: number; readonly max: number }

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
  /** `stream()` gives the items of a task. */
  readonly streams: boolean
  /** The option `key` sends calls to the same worker. */
  readonly keys: boolean
  /** `broadcast()` reaches each worker, and `resize()` changes how many there are. */
  readonly broadcast: boolean
  /** Workers may be on other machines, started by somebody else. */
  readonly remote: boolean
  /** A call outlives its caller: one with an `id` can be found again. */
  readonly durable: boolean
}

/** Options of one call. */
export interface RunOptions {
  /** Aborting rejects the call with `signal.reason`; inside the task, `task.signal` aborts. Default: none. */
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
  /** ArrayBuffers and MessagePorts among the arguments to move instead of copying (threads only). Default: none. */
  readonly transfer?: readonly Transferable[] | undefined
  /**
   * Calls with the same key run in the same worker, in their order, for instance because it keeps a cache. They wait for it
   * even when others are idle. If the worker dies, the one that replaces it takes over. Default: any worker.
   */
  readonly key?: string | number | undefined
  /**
   * Called with each value that the task gives to `task.progress()`, in their order and before the result. What it throws
   * rejects the call, and the task is cancelled. It runs in the asynchronous context in which the call was made. Default: values
   * are dropped.
   */
  readonly onProgress?: ((value: unknown) => void) | undefined
  /**
   * Sent to the running task, which reads them as `task.messages`: an iterable or async iterable of plain data. It is read as the task asks,
   * and ended with the call. For `run` only, and not where workers are on other machines. A call that is tried again after its worker has
   * died (`onWorkerExit`) gets those that were not read. Default: none.
   */
  readonly messages?: Iterable<unknown> | AsyncIterable<unknown> | undefined
  /**
   * Milliseconds of run time after which the process gets a warning with code TW_WARN_SLOW_TASK, once, that says where the
   * call runs; the call goes on. Default: that of the pool.
   */
  readonly warnAfter?: number | undefined
  /**
   * True: the call is on its way to a worker before `run` returns, if one can take it. For callers that go on to compute and keep their event loop
   * busy. Each such call then costs a wake-up of its own. Default false: it leaves with the others of this turn.
   */
  readonly sendNow?: boolean | undefined
  /**
   * Text that names the call, where calls are durable (`bullmq`). A second call with the same `id` and task runs nothing: it gets the
   * result of the first one, also after the program was restarted, for as long as results are kept. Default: a new one.
   */
  readonly id?: string | undefined
}

/** Options of one stream. `timeout` is for the whole of it. */
export interface StreamOptions extends Omit<RunOptions, 'messages'> {
  /** Items that the task may produce before they are taken. Inline and concurrent produce none ahead. Default 16. */
  readonly highWaterMark?: number | undefined
}

/** The items of a task, as an async iterator: read it with `for await`, or by hand and end it with `return()`. */
export interface TaskStream<Item> extends AsyncIterableIterator<Item>, AsyncDisposable {
  /** The first one makes the call. Rejects once with what ended the stream too early; after that, and at the end: done. */
  next(): Promise<IteratorResult<Item, undefined>>
  /**
   * Ends the task: its `finally` runs, and `task.signal` aborts. Resolves when it has ended, at the latest after
   * `gracePeriod`; rejects with what its `finally` throws.
   */
  return(): Promise<IteratorResult<Item, undefined>>
  /** The stream itself, for `for await`. */
  [Symbol.asyncIterator](): TaskStream<Item>
}

/**
 * Whatever the runtime can move: an ArrayBuffer, or a MessagePort of node:worker_threads; in a browser also a web stream, an ImageBitmap or an
 * OffscreenCanvas.
 */
export type Transferable = ArrayBuffer | MessagePortLike | StreamLike | PictureLike

interface MessagePortLike {
  postMessage(message: unknown): void
  close(): void
}

interface StreamLike {
  readonly locked: boolean
}

interface PictureLike {
  readonly width: number
  readonly height: number
}

/**
 * Runs the functions of one task module. All executors offer this, so changing the executor changes one word.
 *
 * Every promise settles: with the task's result, with the error that the task threw, or with an error whose code is in
 * docs/errors.md. Rejection is always asynchronous.
 */
export interface Executor<T = TaskModule> extends AsyncDisposable {
  /** Which executor this is. */
  readonly kind: ExecutorKind
  /** What it can do, for code that runs on any executor. */
  readonly capabilities: Capabilities
  /** Resolves when all workers have loaded the module; rejects when that fails. Calls need not wait for it. */
  readonly ready: Promise<void>
  /** The module's functions, as async functions. */
  readonly tasks: Tasks<T>
  /**
   * Calls one task, and gives the promise of its result.
   *
   * With threads and processes the arguments are copied when the call is sent, which may be later than this call of
   * `run`: do not change them before the promise settles.
   *
   * @throws (as a rejection) what the task throws; TW_ERR_TASK_NOT_FOUND, TW_ERR_INVALID_CALL, TW_ERR_INVALID_OPTION,
   *   TW_ERR_NOT_CLONEABLE, TW_ERR_TIMEOUT, TW_ERR_QUEUE_TIMEOUT, TW_ERR_QUEUE_FULL, TW_ERR_DISCARDED, TW_ERR_WORKER_EXITED,
   *   TW_ERR_START_FAILED, TW_ERR_START_TIMEOUT, TW_ERR_CLOSED, TW_ERR_DESTROYED, and the reason of an aborted `signal`
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
   * under way, `stats()` counts it as one. Once for each executor the process gets a warning with code TW_WARN_COPIES when workers take
   * longer to read the inputs than to work on them.
   *
   * @throws (as a rejection) what `run` rejects with
   * @example const pages = await pool.map('render', rows)
   */
  map<K extends TaskName<T>>(
    name: K,
    inputs: Iterable<TaskArguments<T, K>[0]> | AsyncIterable<TaskArguments<T, K>[0]>,
    options?: RunOptions,
  ): Promise<TaskResult<T, K>[]>
  /**
   * Calls the task once in each worker that is up or starting, for instance to fill a cache or to read counters, and gives the
   * results in the order of the workers. Rejects with the first error. In-thread executors call it once.
   *
   * @example await pool.broadcast('reloadTemplates', [])
   */
  broadcast<K extends TaskName<T>>(
    name: K,
    args?: TaskArguments<T, K>,
    options?: Omit<RunOptions, 'transfer' | 'key'>,
  ): Promise<TaskResult<T, K>[]>
  /**
   * Changes the number of workers of a pool, now. Surplus workers finish what they have; calls with a key may move to other
   * workers. On `concurrent` it is the number of calls that are open at a time; on `inline` it does nothing.
   *
   * @throws TW_ERR_INVALID_OPTION
   * @example pool.resize({ min: 1, max: 4 })
   */
  resize(size: Size): void
  /**
   * A call that is made now is accepted: fewer than `maxQueue` calls wait, and nobody waits to be let in. Without `maxQueue` it is true until
   * the executor is closed.
   */
  readonly hasRoom: boolean
  /**
   * Resolves when there is room, at once if there is; also when the executor is closed, as the next call says so. Of several that wait the
   * first one goes first, so ask again.
   *
   * @example while (!pool.hasRoom) await pool.whenRoom()
   */
  whenRoom(): Promise<void>
  /**
   * Replaces all workers by fresh ones, without losing a call: each works until its successor is up, and ends when it has done what it
   * has. Resolves when the last of the old ones has ended. In-thread executors have none: it does nothing.
   *
   * @throws (as a rejection) TW_ERR_START_FAILED or TW_ERR_START_TIMEOUT when a new one does not start: the old ones go on meanwhile;
   *   TW_ERR_CLOSED, TW_ERR_DESTROYED
   * @example await pool.recycleNow() // the templates have changed
   */
  recycleNow(): Promise<void>
  /**
   * Calls a task that is a generator, or gives an iterable or async iterable, and gives its items as they come. The task is
   * called at the first `next()`, and runs at most `highWaterMark` items ahead. Leaving the loop ends it.
   *
   * @throws TW_ERR_INVALID_CALL, TW_ERR_INVALID_OPTION at once; everything else rejects `next()`
   * @example for await (const part of pool.stream('parsePost', [path])) show(part)
   */
  stream<K extends StreamName<T>>(
    name: K,
    args?: TaskArguments<T, K>,
    options?: StreamOptions,
  ): TaskStream<TaskItem<T, K>>
  /** Workers now; of `concurrent` the calls that may be open at a time, of `inline` 1. `stats()` has it too, among what takes longer to gather. */
  readonly size: number
  /**
   * What the executor knows by itself, at once.
   *
   * @example const { queued, running, wait } = pool.stats() // wait.p99 is in milliseconds
   */
  stats(): ExecutorStats
  /**
   * `stats()`, and what each worker says of itself: CPU time, memory, how busy its event loop is. A worker that does not
   * answer within a second is `blocked`.
   *
   * @example for (const { name, state, task } of (await pool.inspect()).workers) console.log(name, state, task)
   */
  inspect(): Promise<ExecutorStats>
  /**
   * Takes no more tasks, lets the accepted ones finish, then ends the workers. What has not finished after `timeout` ms
   * (default: the executor's closeTimeout, 30 s) is rejected with TW_ERR_CLOSED.
   *
   * @throws TW_ERR_INVALID_OPTION, and stays open
   * @example await pool.close({ timeout: 5000 })
   */
  close(options?: { timeout?: number }): Promise<void>
  /**
   * Rejects all open calls with TW_ERR_DESTROYED (its `cause` is `reason`) and ends the workers at once.
   *
   * @example await pool.destroy(new Error('the database is gone'))
   */
  destroy(reason?: unknown): Promise<void>
}

// 'threadwise/task': what users import; the comment below opens its page of the reference.

/**
 * What a task may ask about its own call. Harmless outside a worker, so that task modules stay testable with a bare import.
 *
 * @module threadwise/task
 */

import { ThreadwiseError } from './errors/errors.js'
import { createStorage } from './runtime/task/async-scope.js'
import { NO_MESSAGES } from './runtime/task/messages.js'
import {
  registry,
  runningCall,
  type TaskContext,
  type WorkerInfo,
  type WorkerPlace,
} from './runtime/task/task-context.js'

registry.storage ??= createStorage<TaskContext>()

const never = new AbortController().signal
const nowhere: WorkerPlace = { info: { name: 'main', id: 0, slot: 0 }, workerData: undefined }
const place = () => runningCall()?.place ?? registry.place ?? nowhere

export { defineContext, type Context } from './runtime/task/define-context.js'
export { move } from './runtime/task/move.js'
export { registerClass, type ClassLike, type ClassOptions } from './runtime/task/register-class.js'
export type { WorkerInfo }
export type { WorkerSetup } from './runtime/task/worker-hooks.js'

/** Functions of the program, as a task calls them. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- their types are those of the program
export type Host = Readonly<Record<string, (...args: any[]) => Promise<any>>>

/** Each property is a function, except where the language asks for one: `await task.host` must not call the program. */
function createHost(): Host {
  return new Proxy(Object.create(null) as Host, {
    get: (_, name) =>
      typeof name === 'symbol' || name === 'then' || name === 'toJSON'
        ? undefined
        : (...args: unknown[]) => callHost(name, args),
    set: () => false,
  })
}

function callHost(name: string, args: readonly unknown[]): Promise<unknown> {
  const context = runningCall()
  if (context?.callHost) return context.callHost(name, args)
  const expected = 'to be called inside a task that an executor runs'
  const call = `task.host.${name}()`
  return Promise.reject(new ThreadwiseError('TW_ERR_INVALID_CALL', { call, expected, received: undefined }))
}

/**
 * The call that is running now.
 *
 * @example
 * import { task } from 'threadwise/task'
 * export async function crawl(urls) {
 *   for (const url of urls) await fetch(url, { signal: task.signal })
 * }
 */
export const task = {
  /** Aborts when the caller aborts or the timeout passes; outside a task it never aborts. */
  get signal(): AbortSignal {
    return runningCall()?.signal ?? never
  },
  /** The worker that runs this call, or loads this module. */
  get worker(): WorkerInfo {
    return place().info
  },
  /**
   * The `workerData` of the executor: a copy for each worker, also while its module loads. In the caller's own thread (`inline`,
   * `concurrent`) it is there in calls, and in `setup`.
   *
   * @example
   * const { region } = task.workerData as Config
   */
  get workerData(): unknown {
    return place().workerData
  },
  /**
   * Sends a value to the `onProgress` of this call's options. It arrives before the result does. Without `onProgress`, and
   * outside a task, it does nothing.
   *
   * @param value plain data, as for results
   * @throws TW_ERR_NOT_CLONEABLE when the value cannot be sent to the caller's thread or process
   * @example for (const [i, row] of rows.entries()) { insert(row); task.progress(i / rows.length) }
   */
  progress(value: unknown): void {
    runningCall()?.report?.(value)
  },
  /**
   * What the caller sends while this call runs, in its order: the `messages` among its options. Each one is asked for when the task reads it, so the
   * caller's source is never ahead. It rejects when the call is aborted, and with what the source throws; it is empty where the caller gives none,
   * and outside a task. To be taken before the first `await` of the task in a page.
   *
   * @example
   * export async function total() {
   *   let sum = 0
   *   for await (const n of task.messages) sum += n
   *   return sum
   * }
   */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what they are the program knows
  get messages(): AsyncIterableIterator<any> {
    return runningCall()?.messages ?? NO_MESSAGES
  },
  /**
   * The functions that the executor was given as `host`, as async functions: `task.host.lookUp(key)` runs in the thread that has made the
   * executor. Aborted with this call; the function finds that as its own `task.signal`.
   *
   * @throws (as a rejection) what the function throws; TW_ERR_INVALID_CALL outside of a task, and where there is no such function;
   *   TW_ERR_NOT_CLONEABLE
   * @example const user = await task.host.lookUp(id)
   */
  host: createHost(),
  /**
   * Calls another task of the same executor, or the same one again, and gives its promise. Await it, or several with
   * `Promise.all`: a task that awaits occupies no worker, so this never deadlocks, however deep and wide the calls go. They pass
   * `maxQueue` and `tasksPerWorker`. When this call is aborted, or times out, its forks are aborted too.
   *
   * @param name of an exported function
   * @param args its arguments: plain data, as for calls
   * @throws (as a rejection) TW_ERR_INVALID_CALL outside of a task, and all that `run` rejects with
   * @example
   * export async function sum(numbers) {
   *   if (numbers.length < 1000) return numbers.reduce((a, b) => a + b, 0)
   *   const half = numbers.length >> 1
   *   const parts = [numbers.slice(0, half), numbers.slice(half)]
   *   const [a, b] = await Promise.all(parts.map((part) => task.fork('sum', [part])))
   *   return a + b
   * }
   */
  fork<Result = unknown>(name: string, args: readonly unknown[] = []): Promise<Result> {
    const wrong = (call: string, expected: string, received: unknown) =>
      Promise.reject<Result>(new ThreadwiseError('TW_ERR_INVALID_CALL', { call, expected, received }))
    if (typeof name !== 'string') return wrong('task.fork()', 'the name of a task', name)
    const call = `task.fork("${name}")`
    if (!Array.isArray(args)) return wrong(call, 'a list of arguments', args)
    const context = runningCall()
    if (!context?.fork) return wrong(call, 'to be called inside a task that an executor runs', undefined)
    return context.fork(name, args) as Promise<Result>
  },
}

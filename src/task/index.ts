// 'threadwise/task': what a task may ask about its own call. Harmless outside a worker, so that task modules stay
// testable with a bare import.

import { registry, type TaskContext, type WorkerInfo } from './task-context.js'

const { AsyncLocalStorage } = process.getBuiltinModule('node:async_hooks')
registry.storage ??= new AsyncLocalStorage<TaskContext>()

const never = new AbortController().signal
const nobody: WorkerInfo = { name: 'main', id: 0 }

export { defineContext, type Context } from './define-context.js'
export { move } from './move.js'
export { registerClass, type ClassLike, type ClassOptions } from './register-class.js'
export type { WorkerInfo }

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
    return registry.storage?.getStore()?.signal ?? never
  },
  /** The worker that runs this call. */
  get worker(): WorkerInfo {
    return registry.storage?.getStore()?.worker ?? nobody
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
    registry.storage?.getStore()?.report?.(value)
  },
}

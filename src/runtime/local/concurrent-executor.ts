// concurrent: calls the task in the caller's own thread, a bounded number at a time, the others queued in order.

import { checkObject, ownOptions } from '../../errors/check-options.js'
import type { Executor } from '../executor/executor.js'
import { checkPositive } from '../executor/shared-options.js'
import type { LoadedModule, NamedModules } from '../executor/task-module.js'
import { createLocalExecutor, type LocalOptions } from './local-executor.js'

/** Options of {@link concurrent}; all have defaults. */
export interface ConcurrentOptions extends LocalOptions {
  /** Calls that may be open at a time. Default 16. */
  readonly concurrency?: number
}

/**
 * Runs asynchronous tasks in the caller's own thread, at most `concurrency` at a time. For work that waits (files, network,
 * databases): it overlaps the waiting without a thread, and does not open ten thousand files at once.
 *
 * A task must not wait for another call of the same executor: when all places are taken by tasks that wait for a place,
 * none gets one.
 *
 * @throws TW_ERR_INVALID_OPTION
 * @example
 * const executor = concurrent(new URL('./tasks.js', import.meta.url), { concurrency: 64 })
 * const texts = await executor.map('readText', paths)
 */
export function concurrent<T = object>(
  module: URL | string | NamedModules,
  options?: ConcurrentOptions,
): Executor<T>
/**
 * The same for a module that a bundler or a test runner loads: its import, or what that gives.
 *
 * @throws TW_ERR_INVALID_OPTION
 * @example
 * const executor = concurrent(() => import('./tasks.js'))
 */
export function concurrent<T extends object>(
  module: LoadedModule<T>,
  options?: ConcurrentOptions,
): Executor<T>
export function concurrent<T>(
  module: URL | string | NamedModules | LoadedModule<object>,
  options: ConcurrentOptions = {},
): Executor<T> {
  checkObject('options', options)
  const { concurrency = 16 } = ownOptions(options)
  checkPositive('concurrency', concurrency)
  return createLocalExecutor<T>(module, options, {
    kind: 'concurrent',
    limit: concurrency,
    size: concurrency,
  })
}

// inline: calls the task in the caller's own thread, at once. The reference that every other executor is measured against.

import type { Executor } from '../executor/executor.js'
import type { LoadedModule, NamedModules } from '../executor/task-module.js'
import { createLocalExecutor, type LocalOptions } from './local-executor.js'

/**
 * Options of {@link inline}; all have defaults.
 *
 * @interface
 */
export type InlineOptions = LocalOptions

/**
 * Runs each task in the caller's own thread as soon as it is called. Arguments and results are shared, not copied. A
 * synchronous task blocks the event loop for as long as it runs.
 *
 * @throws TW_ERR_INVALID_OPTION
 * @example
 * const executor = inline(new URL('./tasks.js', import.meta.url))
 * const html = await executor.tasks.render(data)
 */
export function inline<T = object>(module: URL | string | NamedModules, options?: InlineOptions): Executor<T>
/**
 * The same for a module that a bundler or a test runner loads: its import, or what that gives.
 *
 * @throws TW_ERR_INVALID_OPTION
 * @example
 * const executor = inline(() => import('./tasks.js'))
 */
export function inline<T extends object>(module: LoadedModule<T>, options?: InlineOptions): Executor<T>
export function inline<T>(
  module: URL | string | NamedModules | LoadedModule<object>,
  options: InlineOptions = {},
): Executor<T> {
  return createLocalExecutor<T>(module, options, { kind: 'inline', limit: Infinity, size: 1 })
}

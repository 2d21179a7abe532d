// Options of the algorithms over lists: checked at the call.

import {
  checkFunction,
  checkNames,
  checkObject,
  checkSignal,
  optionNames,
  ownOptions,
} from '../../errors/check-options.js'
import { ThreadwiseError } from '../../errors/errors.js'
import { enterLater } from '../task/async-scope.js'
import type { Executor } from '../executor/executor.js'
import { checkCall, checkPositive } from '../executor/shared-options.js'

/** Options of `map`, `filter`, `reduce` and `mapReduce`. */
export interface ParallelOptions {
  /** Aborting rejects with `signal.reason`, and stops the remaining work. */
  readonly signal?: AbortSignal | undefined
  /**
   * Items that make one call, a whole number of at least 1. They are called one after another. Default: found while it runs.
   */
  readonly chunk?: number | undefined
  /** Calls that are open at a time, a whole number of at least 1. Default: enough to keep all workers busy. */
  readonly concurrency?: number | undefined
  /** Called with each value that the tasks give to `task.progress()`. What it throws rejects, and stops the remaining work. Default: none. */
  readonly onProgress?: ((value: unknown) => void) | undefined
}

export const PARALLEL_OPTIONS = optionNames('signal chunk concurrency onProgress')

/** A list, or what can be read to its end. */
export type Items<Item> = Iterable<Item> | ArrayLike<Item>

/** The options that the caller has written. `known`: the names of those that this method has. */
export function checkParallel<O extends ParallelOptions>(
  method: string,
  name: unknown,
  given: O,
  known: ReadonlySet<string> = PARALLEL_OPTIONS,
): O {
  checkObject(`the options of ${method}()`, given)
  const options = ownOptions(given)
  checkNames(options, known)
  const { signal, chunk, concurrency, onProgress } = options
  checkFunction('onProgress', onProgress)
  checkCall(name, [], method)
  checkSignal('signal', signal)
  if (chunk !== undefined) checkPositive('chunk', chunk)
  if (concurrency !== undefined) checkPositive('concurrency', concurrency)
  return options
}

/** What the algorithms use of an executor. What they call on it is not what its module exports. */
export type ParallelPool = Pick<Executor, 'map' | 'size' | 'capabilities'>

/** Gives the executor as they use it: in the contexts of now, since most calls are made later, some by who reads the results. */
export function checkPool(method: string, pool: unknown): ParallelPool {
  const { run, map, size, capabilities } = (pool ?? {}) as Partial<Executor>
  const isExecutor =
    [run, map].every((part) => typeof part === 'function') && typeof size === 'number' && capabilities
  if (!isExecutor) throw wrongCall(`${method}()`, 'an executor as its first argument', pool)
  const executor = pool as Executor
  const inContexts = enterLater()
  return {
    map: (...call) => inContexts(() => executor.map(...call)),
    get size() {
      return executor.size
    },
    capabilities,
  }
}

export function checkItems(call: string, items: unknown, others: readonly symbol[] = []): void {
  const isObject = typeof items === 'object' && items !== null
  if (isObject && [Symbol.iterator, ...others].some((symbol) => symbol in items)) return
  throw wrongCall(call, `a list or ${others.length > 0 ? 'another' : 'an'} iterable of items`, items)
}

export function wrongCall(call: string, expected: string, received: unknown): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_INVALID_CALL', { call, expected, received })
}

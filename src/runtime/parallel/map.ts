// map: a task for each item, the results in order or as they come.

import { checkOption, ownOptions } from '../../errors/check-options.js'
import type { Executor, TaskArguments, TaskName, TaskResult } from '../executor/executor.js'
import { eachItem } from './each-item.js'
import {
  checkItems,
  checkParallel,
  checkPool,
  PARALLEL_OPTIONS,
  type Items,
  type ParallelOptions,
} from './options.js'

/** Options of {@link map}. */
export interface MapOptions extends ParallelOptions {
  /** False: the results come one by one, as they are ready. Default true: as an array, in the order of the items. */
  readonly ordered?: boolean | undefined
}

const MAP_OPTIONS = new Set([...PARALLEL_OPTIONS, 'ordered'])

type Inputs<T, K> = Items<TaskArguments<T, K>[0]> | AsyncIterable<TaskArguments<T, K>[0]>

/**
 * Calls a task of the executor's module once for each item, which is its only argument, in chunks whose size follows the
 * time that the task takes. The items of a chunk are called one after another; from the first promise on side by side, as far as the
 * limits of the pool go, but not where `chunk` or `concurrency` is given. The first error ends it: what is under way is aborted, and nothing more begins.
 *
 * Items of a chunk are copied together: what two of them share, they share in the worker too.
 *
 * @param pool any executor
 * @param name of an exported function
 * @param items an array, a typed array (parts of one on shared memory are not copied), an iterable or async iterable
 * @returns the results in order; with `ordered: false` an async iterator of results, which runs ahead of its reader only as far
 * as `concurrency` goes, and stops the work when the loop is left
 * @throws TW_ERR_INVALID_CALL, TW_ERR_INVALID_OPTION (with `ordered: false` at once, otherwise as a rejection), and what the task
 * throws
 * @example
 * const pages = await map(pool, 'renderRow', rows)
 * for await (const page of map(pool, 'renderRow', rows, { ordered: false })) await send(page)
 */
export function map<T, K extends TaskName<T>>(
  pool: Executor<T>,
  name: K,
  items: Inputs<T, K>,
  options: MapOptions & { readonly ordered: false },
): AsyncIterableIterator<TaskResult<T, K>>
export function map<T, K extends TaskName<T>>(
  pool: Executor<T>,
  name: K,
  items: Inputs<T, K>,
  options?: MapOptions & { readonly ordered?: true | undefined },
): Promise<TaskResult<T, K>[]>
export function map(
  pool: unknown,
  name: string,
  items: object,
  options: MapOptions = {},
): AsyncIterableIterator<unknown> | Promise<unknown[]> {
  const own = ownOptions(options)
  const isUnordered = (own as MapOptions | null)?.ordered === false
  return isUnordered ? asTheyCome(start(pool, name, items, own)) : inOrder(pool, name, items, own)
}

function start(pool: unknown, name: string, items: object, given: MapOptions) {
  const executor = checkPool('map', pool)
  const options = checkParallel('map', name, given, MAP_OPTIONS)
  const { ordered } = options
  checkOption(ordered === undefined || typeof ordered === 'boolean', 'ordered', 'true or false', ordered)
  checkItems(`map("${name}")`, items, [Symbol.asyncIterator])
  return eachItem(executor, { name, items, kernel: 'each' }, options)
}

async function inOrder(pool: unknown, name: string, items: object, options: MapOptions): Promise<unknown[]> {
  const results: unknown[] = []
  for await (const { from, answer } of start(pool, name, items, options))
    for (let i = 0; i < answer.length; i++) results[from + i] = answer[i]
  return results
}

async function* asTheyCome(chunks: ReturnType<typeof start>): AsyncIterableIterator<unknown> {
  for await (const { answer } of chunks) yield* answer
}

// filter: the items for which a task gives true.

import type { Executor, TaskArguments, TaskName } from '../executor/executor.js'
import { eachItem } from './each-item.js'
import { checkItems, checkParallel, checkPool, type Items, type ParallelOptions } from './options.js'

/**
 * Calls a task of the executor's module for each item, and gives the items for which it gives something true, in their
 * order. They are the caller's own items, not copies: from the workers come only yes and no. Otherwise as `map`.
 *
 * @param pool any executor
 * @param name of an exported function of one argument
 * @param items an array, a typed array or another iterable
 * @throws TW_ERR_INVALID_CALL, TW_ERR_INVALID_OPTION, and what the task throws
 * @example const primes = await filter(pool, 'isPrime', numbers)
 */
export async function filter<T, K extends TaskName<T>, Item extends TaskArguments<T, K>[0]>(
  pool: Executor<T>,
  name: K,
  items: Items<Item>,
  given: ParallelOptions = {},
): Promise<Item[]> {
  const executor = checkPool('filter', pool)
  const options = checkParallel('filter', name, given)
  checkItems(`filter("${name}")`, items)
  const kept: ArrayLike<unknown>[] = []
  const starts: number[] = []
  for await (const { from, items: chunk, answer } of eachItem(
    executor,
    { name, items, kernel: 'test' },
    options,
  )) {
    starts.push(from)
    kept.push(Array.from(chunk).filter((_, i) => answer[i]))
  }
  const order = starts.map((_, i) => i).sort((a, b) => starts[a]! - starts[b]!)
  return order.flatMap((i) => kept[i] as Item[])
}

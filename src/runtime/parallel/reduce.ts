// reduce and mapReduce: one value of many, as a tree.
//
//   items   [ a b c d e f g h | i j k l m n | o p q | r s | t ]     chunks get smaller, so that all workers end together
//   chunks        v                 v           v      v    v       each becomes one value inside a worker
//   groups  [     v                 v           v ][   v    v ]     neighbours become one, until one is left

import { checkNames, optionNames, ownOptions } from '../../errors/check-options.js'
import { fixedSize, shrinkingSize } from '../executor/chunk-size.js'
import type { Executor, TaskArguments, TaskName, TaskResult } from '../executor/executor.js'
import { RESERVED } from '../task/task-function.js'
import { chunksOf } from './chunk-source.js'
import { callPatiently } from './each-item.js'
import {
  checkItems,
  checkParallel,
  checkPool,
  PARALLEL_OPTIONS,
  wrongCall,
  type Items,
  type ParallelOptions,
  type ParallelPool,
} from './options.js'
import { runChunks } from './run-chunks.js'

/** Calls in flight for each worker: chunks are large, and a second one is there when the first is done. */
const CHUNKS_PER_WORKER = 2

const REDUCE_OPTIONS = new Set([...PARALLEL_OPTIONS, 'initial'])
const STEPS = optionNames('map reduce inputs initial')

export interface ReduceOptions<Value> extends ParallelOptions {
  /** Stands before the first item, once. Without it an empty list is an error. */
  readonly initial?: Value | undefined
}

/**
 * Makes one value of many by a task of two arguments, which must be associative: `f(f(a, b), c)` is what `f(a, f(b, c))` is. The
 * order of the items is kept. Chunks become one value inside the workers; these values become one there, too.
 *
 * @param pool any executor
 * @param name of an exported function (a, b) => c
 * @param items an array, a typed array (parts of one on shared memory are not copied) or another iterable
 * @throws TW_ERR_INVALID_CALL (also for an empty list without `initial`), TW_ERR_INVALID_OPTION, and what the task throws
 * @example const total = await reduce(pool, 'add', prices, { initial: 0 })
 */
export async function reduce<T, K extends TaskName<T>>(
  pool: Executor<T>,
  name: K,
  items: Items<TaskArguments<T, K>[0]>,
  given: ReduceOptions<TaskArguments<T, K>[0]> = {},
): Promise<TaskResult<T, K>> {
  const executor = checkPool('reduce', pool)
  const options = checkParallel('reduce', name, given, REDUCE_OPTIONS)
  checkItems(`reduce("${name}")`, items)
  const list = listOf(items)
  const own = 'initial' in options ? [options.initial] : []
  if (list.length + own.length === 0) throw nothingToReduce(`reduce("${name}")`, list)
  const parts = await chunkValues({ pool: executor, task: name }, list, options, (chunk, signal) =>
    // What stands alone is its own result, as in Array.prototype.reduce.
    chunk.length === 1
      ? Promise.resolve(chunk[0])
      : combine(executor, name, chunk, { signal, onProgress: options.onProgress }),
  )
  return (await tree(executor, name, [...own, ...parts], options)) as TaskResult<T, K>
}

/** The tasks of `mapReduce`, and what they work on. */
export interface MapReduceSteps<Inputs, Value> {
  /** Name of the task that is called with each input. */
  readonly map: string
  /** Name of the task (a, b) => c that makes one of two results. It must be associative. */
  readonly reduce: string
  readonly inputs: Inputs
  /** Stands before the first result, once. Without it an empty list of inputs is an error. */
  readonly initial?: Value | undefined
}

/**
 * Calls `map` for each input and makes one value of the results by `reduce`, in the order of the inputs. A worker that has several
 * inputs gives back one value for all of them.
 *
 * @param pool any executor
 * @param steps the names of the two tasks, the inputs, and `initial`
 * @throws TW_ERR_INVALID_CALL (also for an empty list without `initial`), TW_ERR_INVALID_OPTION, and what the tasks throw
 * @example const counts = await mapReduce(pool, { map: 'countWords', reduce: 'addCounts', inputs: files, initial: {} })
 */
export async function mapReduce<T, M extends TaskName<T>, R extends TaskName<T>>(
  pool: Executor<T>,
  steps: MapReduceSteps<Items<TaskArguments<T, M>[0]>, TaskArguments<T, R>[0]> & {
    readonly map: M
    readonly reduce: R
  },
  given: ParallelOptions = {},
): Promise<TaskResult<T, R>> {
  const executor = checkPool('mapReduce', pool)
  if (typeof steps !== 'object' || steps === null)
    throw wrongCall('mapReduce()', 'its steps, such as { map, reduce, inputs }', steps)
  checkNames(steps, STEPS)
  const { map, reduce: name, inputs, ...own } = ownOptions(steps)
  const options = checkParallel('mapReduce', map, given)
  checkParallel('mapReduce', name, options)
  const call = `mapReduce("${map}", "${name}")`
  checkItems(call, inputs)
  const list = listOf(inputs)
  const first = Object.hasOwn(own, 'initial') ? [own.initial] : []
  if (list.length + first.length === 0) throw nothingToReduce(call, list)
  const kernel = `${RESERVED}mapReduce:${map}`
  const parts = await chunkValues({ pool: executor, task: map }, list, options, (items, signal) =>
    callPatiently(executor, kernel, { items, reduce: name }, { signal, onProgress: options.onProgress }),
  )
  return (await tree(executor, name, [...first, ...parts], options)) as TaskResult<T, R>
}

type ChunkValue = (chunk: ArrayLike<unknown>, signal: AbortSignal) => Promise<unknown>

/** The values of the chunks, in their order. */
async function chunkValues(
  { pool, task }: { readonly pool: ParallelPool; readonly task: string },
  list: ArrayLike<unknown>,
  { chunk, concurrency, signal }: ParallelOptions,
  call: ChunkValue,
): Promise<unknown[]> {
  const source = chunksOf(list)
  const size = chunk === undefined ? shrinkingSize() : fixedSize(chunk)
  const workers = () => Math.max(1, pool.size)
  const values: { readonly from: number; readonly answer: unknown }[] = []
  for await (const { from, answer } of runChunks({
    task,
    source,
    call,
    signal,
    size: () => size.next(source.remaining, workers()),
    limit: () => concurrency ?? workers() * CHUNKS_PER_WORKER,
  }))
    values.push({ from, answer })
  return values.sort((a, b) => a.from - b.from).map(({ answer }) => answer)
}

/** Groups of neighbours become one value each, as many groups as there are workers, until one value is left. */
async function tree(
  pool: ParallelPool,
  name: string,
  values: readonly unknown[],
  options: ParallelOptions,
): Promise<unknown> {
  if (values.length === 1) return values[0]
  const workers = Math.max(1, pool.size)
  const chunk = Math.max(2, Math.ceil(values.length / workers))
  const next = await chunkValues(
    { pool, task: name },
    values,
    ownOptions({ ...options, chunk }),
    (group, signal) =>
      group.length === 1
        ? Promise.resolve(group[0])
        : combine(pool, name, group, { signal, onProgress: options.onProgress }),
  )
  return tree(pool, name, next, options)
}

function combine(
  pool: ParallelPool,
  name: string,
  list: ArrayLike<unknown>,
  options: Pick<ParallelOptions, 'signal' | 'onProgress'>,
) {
  return callPatiently(pool, `${RESERVED}reduce:${name}`, list, options)
}

/** Its length must be known to cut it well. */
function listOf(items: Items<unknown>): ArrayLike<unknown> {
  const isList = Array.isArray(items) || (ArrayBuffer.isView(items) && 'length' in items)
  return isList ? (items as ArrayLike<unknown>) : Array.from(items)
}

function nothingToReduce(call: string, list: unknown) {
  return wrongCall(call, 'at least one item, or { initial }', Array.from(list as ArrayLike<unknown>))
}

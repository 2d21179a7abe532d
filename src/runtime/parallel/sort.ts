// sort: the numbers of a typed array, in parts that workers sort and then merge. By a comparator of the task module: sort-by.ts.
//
//   runs     [ sorted by worker 1 | sorted by worker 2 ]       each on a copy of its own
//   merge    [ first half: worker 1 | second half: worker 2 ]  where the halves begin in both runs: a binary search
//
// With more workers neighbouring runs are merged in rounds, each round by all workers.

import {
  checkNames,
  checkObject,
  checkOption,
  checkSignal,
  optionNames,
  ownOptions,
} from '../../errors/check-options.js'
import { isBytes, isSharedMemory } from '../../primitives/any-realm.js'
import type { Executor, TaskName } from '../executor/executor.js'
import { RESERVED } from '../task/task-function.js'
import { mergePart, splitMerge, type MergePart, type Numbers, type SortPart } from '../task/sort-kernels.js'
import { copyNumbers } from './chunk-source.js'
import { callPatiently } from './each-item.js'
import { checkPool, wrongCall, type ParallelPool } from './options.js'
import { sortedBy } from './sort-by.js'

/** The typed arrays of the platform, over an ArrayBuffer or a SharedArrayBuffer. */
export type SortableArray = Numbers

/** Options of {@link sort}. */
export interface SortOptions<T = object> {
  /** Aborting rejects with `signal.reason`, and stops the remaining work. */
  readonly signal?: AbortSignal | undefined
  /**
   * Name of an exported function (a, b) => number that says which of two items comes first, as for `Array.prototype.sort`. Functions cannot be
   * sent to workers. Default: the order of the numbers.
   */
  readonly compare?: TaskName<T> | undefined
}

/** Values from which on it is worth the way to the workers; fewer take less than a millisecond or two. */
const MIN_LENGTH = 20_000
const SORT_OPTIONS = optionNames('signal compare')

interface Run {
  readonly from: number
  readonly to: number
}

/**
 * Sorts a typed array in place, in the order of `TypedArray.prototype.sort` (-0 before 0, NaN last), and gives it back. `threads`
 * sort parts and merge them in shared memory; an array that is not over a SharedArrayBuffer is copied there and back.
 * `processes` get copies, and the caller's thread merges, which is seldom worth it. `inline` and `concurrent` sort it at once, and so
 * does every executor below 20 000 values. Do not touch the array until the promise has settled. After a rejection a
 * shared array may hold some values twice and others not at all; another one is as it was.
 *
 * With `compare` workers sort any array by a function of the module. Equal items keep their order, what is undefined comes last, and the items stay
 * your own objects. They are copied to workers once, and once more for each time that the number of workers can be halved. So it pays
 * where the function takes long. A rejection leaves the array as it was.
 *
 * @param pool any executor; without `compare` its module does not matter
 * @param array any typed array; with `compare` any array
 * @throws TW_ERR_INVALID_CALL, TW_ERR_INVALID_OPTION; TW_ERR_WORKER_EXITED and the like when the executor fails; what the comparator throws
 * @example
 * await sort(pool, new Float64Array(new SharedArrayBuffer(8 * 5_000_000)))
 * await sort(pool, books, { compare: 'byTitle' })
 */
export function sort<T, A extends unknown[]>(
  pool: Executor<T>,
  array: A,
  options: SortOptions<T> & { readonly compare: TaskName<T> },
): Promise<A>
export function sort<T, A extends SortableArray>(
  pool: Executor<T>,
  array: A,
  options?: SortOptions<T>,
): Promise<A>
export async function sort(
  pool: unknown,
  array: unknown[] | SortableArray,
  options: SortOptions = {},
): Promise<unknown[] | SortableArray> {
  const executor = checkPool('sort', pool)
  checkObject('the options of sort()', options)
  checkNames(options, SORT_OPTIONS)
  const { signal, compare } = ownOptions(options)
  const isName = compare === undefined || (typeof compare === 'string' && compare !== '')
  checkOption(isName, 'compare', 'the name of a task: functions cannot be sent to workers', compare)
  checkSignal('signal', signal)
  if (!isTyped(array) && !(compare !== undefined && Array.isArray(array)))
    throw wrongCall(
      'sort()',
      compare === undefined ? 'a typed array, or an array and { compare }' : 'an array',
      array,
    )
  if (signal?.aborted) throw signal.reason
  if (compare === undefined) await sortNumbers(executor, array as Numbers, signal)
  else await sortItems(executor, array, { compare, signal })
  return array
}

function isTyped(array: unknown): array is Numbers {
  return ArrayBuffer.isView(array) && 'BYTES_PER_ELEMENT' in array
}

interface By {
  readonly compare: string
  readonly signal: AbortSignal | undefined
}

/** As Array.prototype.sort: what is undefined comes after all others and is not compared, and holes come last. */
async function sortItems(
  pool: ParallelPool,
  array: unknown[] | Numbers,
  { compare, signal }: By,
): Promise<void> {
  const items: unknown[] = []
  Array.prototype.forEach.call(array, (item) => items.push(item)) // passes over holes
  const defined = items.filter((item) => item !== undefined)
  const sorted = await sortedBy(defined, {
    workers: pool.capabilities.parallel ? pool.size : 1,
    callAll: (kernel, inputs) => callAll(pool, `${kernel}:${compare}`, inputs, signal),
  })
  const target = array as unknown[]
  for (let i = 0; i < items.length; i++) target[i] = sorted[i]
  for (let i = items.length; i < target.length; i++) Reflect.deleteProperty(target, i)
}

async function sortNumbers(
  executor: ParallelPool,
  array: Numbers,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { parallel, sharedMemory } = executor.capabilities
  if (!parallel || array.length < MIN_LENGTH) return void array.sort()
  if (!sharedMemory) await sortCopies(executor, array, signal)
  else if (isShared(array)) await sortShared(executor, array, signal)
  else {
    const shared = scratchFor(array)
    shared.set(array as never)
    await sortShared(executor, shared, signal)
    array.set(shared as never)
  }
}

async function sortShared(
  pool: ParallelPool,
  array: Numbers,
  signal: AbortSignal | undefined,
): Promise<void> {
  const workers = Math.max(1, pool.size)
  let runs = cutEvenly(array.length, workers)
  // With an odd number of rounds the parts go to the other array, so that the last round ends in the caller's.
  const rounds = Math.ceil(Math.log2(runs.length))
  const other = rounds > 0 ? scratchFor(array) : array
  let source = rounds % 2 === 1 ? other : array
  await callAll(
    pool,
    'sortPart',
    runs.map((run): SortPart => ({ source: array, target: source, ...run })),
    signal,
  )
  while (runs.length > 1) {
    const target = source === array ? other : array
    const pairs = pairsOf(runs)
    const parts = pairs.flatMap((pair) => mergesOf(pair, source, target, workers))
    await callAll(pool, 'mergePart', parts, signal)
    runs = pairs.map(([first, second = first]) => ({ from: first.from, to: second.to }))
    source = target
  }
}

/** The calls that merge a pair of runs, each for about what one worker is to do in a round. */
function mergesOf([first, second]: Pair, source: Numbers, target: Numbers, workers: number): MergePart[] {
  const { from, to: middle } = first
  const to = second ? second.to : middle
  const count = Math.max(1, Math.round(((to - from) / source.length) * workers))
  const parts: MergePart[] = []
  let [a, at] = [from, from]
  for (const piece of cutEvenly(to - from, count)) {
    const taken = splitMerge(source, { from, middle, to }, piece.to)
    const b = middle + at - a
    parts.push({ source, target, a, aEnd: from + taken, b, bEnd: middle + piece.to - taken, at })
    a = from + taken
    at = from + piece.to
  }
  return parts
}

/** Sorted copies, merged here. */
async function sortCopies(
  pool: ParallelPool,
  array: Numbers,
  signal: AbortSignal | undefined,
): Promise<void> {
  let runs = cutEvenly(array.length, Math.max(1, pool.size))
  const copies = runs.map(({ from, to }) => copyNumbers(array, from, to))
  const sorted = (await callAll(pool, 'sortCopy', copies, signal)) as Numbers[]
  let source = copyNumbers(array)
  sorted.forEach((values, i) => source.set(values as never, runs[i]!.from))
  let target = copyNumbers(array)
  while (runs.length > 1) {
    const pairs = pairsOf(runs)
    for (const pair of pairs) for (const part of mergesOf(pair, source, target, 1)) mergePart(part)
    runs = pairs.map(([first, second = first]) => ({ from: first.from, to: second.to }))
    ;[source, target] = [target, source]
  }
  array.set(source as never)
}

/** Rejects with the first error, when the other calls have ended too: they may still write. */
async function callAll(
  pool: ParallelPool,
  kernel: string,
  inputs: readonly unknown[],
  signal: AbortSignal | undefined,
): Promise<unknown[]> {
  const calls = inputs.map((input) => callPatiently(pool, RESERVED + kernel, input, { signal }))
  await Promise.allSettled(calls)
  return Promise.all(calls)
}

type Pair = readonly [Run, Run?]

function pairsOf(runs: readonly Run[]): Pair[] {
  const pairs: Pair[] = []
  for (let i = 0; i < runs.length; i += 2) pairs.push([runs[i]!, runs[i + 1]])
  return pairs
}

function cutEvenly(length: number, count: number): Run[] {
  const edge = (i: number) => Math.floor((i * length) / count)
  return Array.from({ length: count }, (_, i) => ({ from: edge(i), to: edge(i + 1) }))
}

function isShared({ buffer }: Numbers): boolean {
  return isSharedMemory(buffer)
}

/** Shared memory for as many values of the same type; for a Buffer, whose constructor is deprecated, a Uint8Array. */
function scratchFor(array: Numbers): Numbers {
  const { BYTES_PER_ELEMENT, length } = array
  const Type = (isBytes(array) ? Uint8Array : array.constructor) as new (buffer: SharedArrayBuffer) => Numbers
  return new Type(new SharedArrayBuffer(BYTES_PER_ELEMENT * length))
}

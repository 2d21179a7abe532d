// Tasks that every worker has, whatever its module exports: what threadwise/parallel asks of workers.
//
//   threadwise:each:NAME       calls NAME for each item of a list
//   threadwise:test:NAME       the same, and gives only whether the results are true
//   ...InTurn:NAME             these two, one item after the other also where the calls give promises
//   threadwise:withMessages:NAME   calls NAME, which finds what its caller sends as task.messages
//   threadwise:reduce:NAME     makes one value of a list, by NAME(a, b)
//   threadwise:mapReduce:NAME  the same with the results of NAME for each item
//   threadwise:order:NAME ...  sorts by NAME(a, b): see order-kernels.ts
//   threadwise:sortPart ...    see sort-kernels.ts
//
// The name of the user's task is part of theirs, so that errors tell it. No export is found under such a name.

import { callEach, type EachOptions } from './call-each.js'
import { apartFromEachOther } from './define-context.js'
import { callWithMessages } from './messages.js'
import { comesFirst, mergeOrder, orderOf, type OrderedPair } from './order-kernels.js'
import { mergePart, sortCopy, sortPart } from './sort-kernels.js'
import { isPromise, RESERVED, type TaskFunction } from './task-function.js'

type Find = (name: string) => TaskFunction
type Items = ArrayLike<unknown>

/** The answer of `each` and `test`. */
export interface ChunkAnswer {
  /** Of the first items; of all, unless it has ended with a promise: see call-each.ts. */
  readonly results: readonly unknown[]
  /** Microseconds for which the chunk kept the thread busy. */
  readonly us: number
  /** The task has returned a promise: its calls do better one by one, since they overlap then. */
  readonly isAsync: boolean
}

export interface MapReduceInput {
  readonly items: Items
  readonly reduce: string
}

const kernels: Record<string, TaskFunction> = { sortPart, mergePart, sortCopy }

const asItIs = (value: unknown) => value

const onTasks: Record<string, (task: TaskFunction, find: Find) => TaskFunction> = {
  each: (task) => (items: Items) => each(task, items, { keep: asItIs }),
  test: (task) => (items: Items) => each(task, items, { keep: Boolean }),
  eachInTurn: (task) => (items: Items) => each(task, items, { keep: asItIs, isInTurn: true }),
  testInTurn: (task) => (items: Items) => each(task, items, { keep: Boolean, isInTurn: true }),
  withMessages:
    (task) =>
    (next: Parameters<typeof callWithMessages>[1], ...args: unknown[]) =>
      callWithMessages(task, next, args),
  reduce: (task) => (items: Items) => fold(task, items, (item) => item),
  mapReduce:
    (task, find) =>
    ({ items, reduce }: MapReduceInput) =>
      fold(find(reduce), items, task),
  order: (compare) => (items: Items) => orderOf(compare, items),
  merge: (compare) => (pair: OrderedPair) => mergeOrder(compare, pair),
  first: (compare) => (pair: OrderedPair) => comesFirst(compare, pair),
}

/** Throws what `find` throws when the task that the name holds does not exist. */
export function builtIn(name: string, find: Find): TaskFunction | undefined {
  const [kernel, ...rest] = name.slice(RESERVED.length).split(':') as [string, ...string[]]
  if (rest.length === 0) return Object.hasOwn(kernels, kernel) ? kernels[kernel] : undefined
  if (!Object.hasOwn(onTasks, kernel)) return undefined
  const findApart = (task: string) => apartFromEachOther(find(task))
  return onTasks[kernel]!(findApart(rest.join(':')), findApart)
}

/** Throws what the task throws; no item after that is looked at. */
function each(task: TaskFunction, items: Items, options: EachOptions): ChunkAnswer | Promise<ChunkAnswer> {
  const started = performance.now()
  const answer = callEach(task, items, options)
  if (isPromise(answer)) return answer.then(({ results }) => ({ results, us: 0, isAsync: true }))
  return { results: answer.results, us: (performance.now() - started) * 1000, isAsync: false }
}

/** `items` are not empty. */
function fold(reduce: TaskFunction, items: Items, map: (item: unknown) => unknown): unknown {
  let value = map(items[0])
  for (let i = 1; i < items.length; i++) {
    const next = isPromise(value) ? undefined : map(items[i])
    if (isPromise(value) || isPromise(next)) return foldLater(reduce, items, { map, value, next, at: i })
    value = reduce(value, next)
  }
  return value
}

interface Fold {
  readonly map: (item: unknown) => unknown
  readonly value: unknown
  /** What map() gave for the item there; undefined when it was not called. */
  readonly next: unknown
  readonly at: number
}

async function foldLater(reduce: TaskFunction, items: Items, { map, at, ...rest }: Fold): Promise<unknown> {
  let value = await rest.value
  let next = isPromise(rest.value) ? await map(items[at]) : await rest.next
  for (let i = at; ; next = await map(items[i])) {
    value = (await reduce(value, next)) as unknown
    if (++i >= items.length) return value
  }
}

// The algorithms, and task.fork.
import { threads, type Executor } from 'threadwise'
import { filter, map, mapReduce, reduce, sort } from 'threadwise/parallel'
import { task } from 'threadwise/task'
import type * as Tasks from './tasks.js'
import { same } from './same.js'

const pool = threads<typeof Tasks>(new URL('./tasks.js', import.meta.url))
declare const untyped: Executor

const r1 = await map(pool, 'greet', [{ name: 'Ann' }])
same<typeof r1, string[]>(true)
const r2 = await map(pool, 'load', new Set(['a']), { chunk: 2, concurrency: 3 })
same<typeof r2, Uint8Array[]>(true)
for await (const greeting of map(pool, 'greet', [{ name: 'Ann' }], { ordered: false }))
  same<typeof greeting, string>(true)
const r3 = await filter(pool, 'load', ['a', 'b'])
same<typeof r3, string[]>(true)
const r4 = await reduce(pool, 'add', [1, 2], { initial: 0 })
same<typeof r4, number>(true)
const r5 = await reduce(pool, 'add', Float64Array.of(1, 2))
same<typeof r5, number>(true)
const r6 = await mapReduce(pool, { map: 'sum', reduce: 'add', inputs: [1, 2], initial: 0 })
same<typeof r6, number>(true)
const r7 = await sort(pool, new Float64Array(1))
same<typeof r7, Float64Array<ArrayBuffer>>(true)
const pairs: [string, number][] = []
const r10 = await sort(pool, pairs, { compare: 'add' })
same<typeof r10, [string, number][]>(true)
void sort(untyped, ['b', 'a'], { compare: 'anything', signal: AbortSignal.abort() })
const results: number[] = await map(untyped, 'anything', [1])
const signal = AbortSignal.abort()
void [results, sort(untyped, new BigInt64Array(1), { signal })]

const r8 = await task.fork('sum', [1])
same<typeof r8, unknown>(true)
const r9 = await task.fork<number>('sum', [1])
same<typeof r9, number>(true)

// @ts-expect-error not a task
void map(pool, 'version', [])
// @ts-expect-error not what the task takes
void map(pool, 'greet', [7])
// @ts-expect-error no comparison
void sort(pool, new Float64Array(1), { compare: (a: number, b: number) => a - b })
// @ts-expect-error not a task
void sort(pool, [1, 2], { compare: 'version' })
// @ts-expect-error not a list of numbers
void sort(pool, [1, 2])

// What the types of the executors promise. Compiled by types.test.js, never run.

import { adaptive, concurrent, inline, processes, prometheusText, threads } from 'threadwise'
import type { AdaptiveOptions, AdaptivePlace } from 'threadwise'
import type { Capabilities, Executor, ExecutorKind, ExecutorStats } from 'threadwise'
import type { StreamName, TaskItem, TaskName, TaskStream } from 'threadwise'
import type * as AllTasks from './tasks.js'
import { same } from './same.js'

const url = new URL('./tasks.js', import.meta.url)
declare const signal: AbortSignal
declare const buffer: ArrayBuffer

// Changing the executor changes one word: all of them have one type.
const executors = [
  inline<typeof AllTasks>(url),
  concurrent<typeof AllTasks>(url),
  threads<typeof AllTasks>(url),
]
executors.push(processes<typeof AllTasks>(url), adaptive<typeof AllTasks>(url, { size: 2, maxBlock: 5 }))
export const pool = threads<typeof AllTasks>(url, { size: 2 })
same<typeof pool, Executor<typeof AllTasks>>(true)
same<(typeof executors)[number], typeof pool>(true)
same<ReturnType<typeof inline<typeof AllTasks>>, ReturnType<typeof processes<typeof AllTasks>>>(true)

export async function typedTasks(): Promise<void> {
  // Each function is asynchronous, whether it was or not; parameters are those of the function.
  same<Parameters<typeof pool.tasks.add>, [a: number, b: number]>(true)
  same<ReturnType<typeof pool.tasks.add>, Promise<number>>(true)
  same<Parameters<typeof pool.tasks.greet>, [who: { name: string }, greeting?: string | undefined]>(true)
  same<ReturnType<typeof pool.tasks.load>, Promise<Uint8Array>>(true)
  same<ReturnType<typeof pool.tasks.nothing>, Promise<void>>(true)
  same<ReturnType<typeof pool.tasks.maybe>, Promise<string | undefined>>(true)
  same<Parameters<typeof pool.tasks.sum>, number[]>(true)
  const total: number = await pool.tasks.add(1, 2)
  await pool.tasks.sum(total, 2, 3)

  // @ts-expect-error -- a string is no number
  await pool.tasks.add(1, '2')
  // @ts-expect-error -- an argument is missing
  await pool.tasks.add(1)
  // @ts-expect-error -- one argument too many
  await pool.tasks.load('path', 1)
  // @ts-expect-error -- there is no such task
  await pool.tasks.remove(1)
  // @ts-expect-error -- an export that is no function is no task
  await pool.tasks.version()
  // @ts-expect-error -- nor is a default export that is no function
  await pool.tasks.default()
  // @ts-expect-error -- tasks cannot be replaced
  pool.tasks.add = async () => 1

  type Names = 'add' | 'greet' | 'load' | 'nothing' | 'sum' | 'maybe' | Streams
  type Streams = 'lines' | 'rows' | 'later' | 'promises'
  same<TaskName<typeof AllTasks>, Names>(true)
  same<keyof typeof pool.tasks, Names>(true)
  same<StreamName<typeof AllTasks>, Streams | 'load'>(true)
}

export async function typedRun(): Promise<void> {
  const sum = await pool.run('add', [1, 2])
  same<typeof sum, number>(true)
  const bytes = await pool.run('load', ['path'], {
    signal,
    timeout: 500,
    gracePeriod: 100,
    transfer: [buffer],
  })
  same<typeof bytes, Uint8Array>(true)
  await pool.run('nothing')
  await pool.run('greet', [{ name: 'Ada' }])
  await pool.run('greet', [{ name: 'Ada' }, 'Hi'], { signal: undefined, timeout: undefined })

  await pool.run('nothing', [], { key: 'a' })
  await pool.run('nothing', [], { key: 7 })

  // @ts-expect-error -- a key is text or a number
  await pool.run('nothing', [], { key: {} })
  // @ts-expect-error -- there is no such task
  await pool.run('remove', [])
  // @ts-expect-error -- an export that is no function is no task
  await pool.run('version')
  // @ts-expect-error -- arguments come as a list
  await pool.run('load', 'path')
  // @ts-expect-error -- of the right types
  await pool.run('load', [5])
  // @ts-expect-error -- and complete
  await pool.run('add', [1])
  // @ts-expect-error -- options that do not exist are refused
  await pool.run('add', [1, 2], { timeOut: 5 })
  // @ts-expect-error -- only what can be moved may be transferred
  await pool.run('add', [1, 2], { transfer: ['text'] })
}

export async function typedMap(): Promise<void> {
  const pages = await pool.map('greet', [{ name: 'Ada' }, { name: 'Grace' }])
  same<typeof pages, string[]>(true)
  async function* paths() {
    yield 'a'
  }
  const files = await pool.map('load', paths(), { signal })
  same<typeof files, Uint8Array[]>(true)
  await pool.map('load', new Set(['a']))

  // @ts-expect-error -- each input is the first argument of the task
  await pool.map('load', [1, 2])
  // @ts-expect-error -- inputs come from an iterable
  await pool.map('load', 5)
  // @ts-expect-error -- a promise of inputs is none
  await pool.map('load', Promise.resolve(['a']))
  // @ts-expect-error -- there is no such task
  await pool.map('remove', [])
}

export async function typedStream(): Promise<void> {
  for await (const line of pool.stream('lines', ['path'])) same<typeof line, string>(true)
  for await (const row of pool.stream('rows', [5], { highWaterMark: 4, signal, timeout: 5 }))
    same<typeof row, { id: number }>(true)
  for await (const item of pool.stream('later')) same<typeof item, bigint>(true)
  for await (const item of pool.stream('promises')) same<typeof item, boolean>(true)
  for await (const byte of pool.stream('load', ['path'])) same<typeof byte, number>(true)
  const stream: TaskStream<string> = pool.stream('lines', ['path'], { onProgress: (value) => void value })
  const first = await stream.next()
  same<typeof first, IteratorResult<string, undefined>>(true)
  await stream.return()
  await using last = pool.stream('lines', ['path'])
  same<typeof last, TaskStream<TaskItem<typeof AllTasks, 'lines'>>>(true)

  // @ts-expect-error -- what gives no items is no stream
  pool.stream('add', [1, 2])
  // @ts-expect-error -- nor is a text
  pool.stream('greet', [{ name: 'Ada' }])
  // @ts-expect-error -- arguments are those of the generator
  pool.stream('rows', ['5'])
  // @ts-expect-error -- options that do not exist are refused
  pool.stream('rows', [5], { highWatermark: 4 })
  // @ts-expect-error -- a run has no items
  await pool.run('add', [1, 2], { highWaterMark: 4 })
  await pool.run('add', [1, 2], { onProgress: (value) => same<typeof value, unknown>(true) })
}

export async function untyped(): Promise<void> {
  // Without the type of the module everything goes, and results are any.
  const anyPool = threads(url)
  const fromTasks = await anyPool.tasks.whatever(1, 'two')
  same<typeof fromTasks, any>(true) // eslint-disable-line
  const fromRun = await anyPool.run('whatever', [1, 'two'])
  same<typeof fromRun, any>(true) // eslint-disable-line
  const fromMap = await anyPool.map('whatever', [1, 'two'])
  same<typeof fromMap, any[]>(true) // eslint-disable-line
  for await (const item of anyPool.stream('whatever', [1])) same<typeof item, any>(true) // eslint-disable-line
  same<TaskName<object>, string>(true)
  same<StreamName<object>, string>(true)
  const stored: Executor = inline(url)
  await stored.run('whatever', [])
}

export async function life(): Promise<void> {
  await using executor = inline<typeof AllTasks>('file:///tasks.js')
  same<typeof executor.ready, Promise<void>>(true)
  same<typeof executor.kind, ExecutorKind>(true)
  same<typeof executor.capabilities, Capabilities>(true)
  const stats: ExecutorStats = executor.stats()
  for (const { task, place, reason, calls, runUs } of stats.decisions ?? []) {
    same<typeof place, AdaptivePlace>(true)
    same<typeof runUs, number | null>(true)
    console.log(task, reason === 'blocks', calls.inline + calls.pool)
  }
  const options: AdaptiveOptions = { maxBlock: 0, size: { min: 1, max: 2 }, balance: 'least-busy' }
  adaptive(url, options)
  // @ts-expect-error -- milliseconds are a number
  adaptive(url, { maxBlock: '5' })
  same<typeof stats.queued, number>(true)
  same<typeof stats.run.p99, number | null>(true)
  const inspected: ExecutorStats = await executor.inspect()
  same<(typeof inspected.workers)[number]['cpu'], number | null>(true)
  const metrics: string = prometheusText([executor, stats])
  await executor.run('add', [1, metrics.length], { warnAfter: 5 })
  // @ts-expect-error -- counters are for reading
  stats.queued = 0
  await executor.close()
  await executor.close({ timeout: 5 })
  await executor.destroy()
  await executor.destroy(new Error('why'))
}

export function options(): void {
  inline(url, { name: 'n', startTimeout: 1, closeTimeout: 1 })
  concurrent(url, { concurrency: 4 })
  threads(url, {
    size: 2,
    tasksPerWorker: 8,
    resourceLimits: { maxOldGenerationSizeMb: 64 },
    execArgv: ['--x'],
  })
  processes(url, { size: 2, env: { PATH: undefined, A: 'b' } })
  // @ts-expect-error -- inline has no workers
  inline(url, { size: 2 })
  // @ts-expect-error -- nor has concurrent
  concurrent(url, { size: 2 })
  processes(url, { resourceLimits: { maxOldGenerationSizeMb: 64 }, output: 'labelled', budget: 2 })
  threads(url, { size: { min: 0, max: 4 }, maxQueue: 10, whenFull: 'wait', onWorkerExit: { retries: 1 } })
  // @ts-expect-error -- a size is a number, or a range
  threads(url, { size: 'all' })
  // @ts-expect-error -- the module comes first
  threads({ size: 2 })
}

export async function modulesOfTheOwnThread(): Promise<void> {
  // The import of a module tells its tasks.
  const imported = inline(() => import('./tasks.js'))
  same<typeof imported, Executor<typeof AllTasks>>(true)
  same<typeof imported, ReturnType<typeof concurrent<typeof AllTasks>>>(true)
  const loaded = concurrent(await import('./tasks.js'))
  const total: number = await loaded.tasks.add(1, 2)
  await imported.tasks.sum(total)
  same<ReturnType<typeof byUrl>, Executor<object>>(true)

  // @ts-expect-error -- threads load the module by themselves
  threads(() => import('./tasks.js'))
  // @ts-expect-error -- no module
  inline(5)
}
const byUrl = () => inline(url)

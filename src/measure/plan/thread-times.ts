// CPU time of a server by the place where it was used, as the kernel counts it for each thread (Linux).
//
// The counters are those of the scheduler, in nanoseconds. That of a thread which runs is older by up to a tick, and exact as soon as it
// waits: so they are read when the server has nothing to do.

import { readdirSync, readFileSync } from 'node:fs'

/** Milliseconds, of which only differences mean something. */
export interface ThreadTimes {
  /** The main thread. */
  readonly main: number
  /** Threads of `node:worker_threads`, and other processes that the server has started. */
  readonly pool: number
  /** All others: libuv's, and those that help V8. */
  readonly other: number
  /** Time in which one of these threads was ready to run and found no CPU. */
  readonly queued: number
}

/** Null where /proc does not say, or the process has ended. */
export function threadTimes(pid: number, workerIds: readonly number[]): ThreadTimes | null {
  const sums = { main: 0, pool: 0, other: 0, queued: 0 }
  const tids = threadsOf(pid)
  if (tids.length === 0) return null
  const add = (place: 'main' | 'pool' | 'other', counters: Counters | null) => {
    sums[place] += counters?.cpuMs ?? 0
    sums.queued += counters?.queuedMs ?? 0
  }
  for (const tid of tids) {
    const counters = countersOf(pid, tid)
    if (tid === pid && counters === null) return null
    add(tid === pid ? 'main' : workerIds.includes(tid) ? 'pool' : 'other', counters)
  }
  for (const child of descendants(pid))
    for (const tid of threadsOf(child)) add('pool', countersOf(child, tid))
  return sums
}

export function timesBetween(before: ThreadTimes, after: ThreadTimes): ThreadTimes {
  const more = (name: keyof ThreadTimes) => Math.max(0, after[name] - before[name])
  return { main: more('main'), pool: more('pool'), other: more('other'), queued: more('queued') }
}

/** Bytes in memory of the process and all that it has started; null where /proc does not say. */
export function residentBytesOf(pid: number): number | null {
  const sizes = [pid, ...descendants(pid)].flatMap((each) => {
    const found = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${each}/status`) ?? '')
    return found ? [1024 * Number(found[1])] : []
  })
  return sizes.length === 0 ? null : sizes.reduce((a, b) => a + b, 0)
}

/** Threads that may work for a pool: workers that live, and processes. */
export function poolSize(pid: number, workerIds: readonly number[]): number {
  const tids = threadsOf(pid)
  return workerIds.filter((tid) => tids.includes(tid)).length + descendants(pid).length
}

function descendants(pid: number): number[] {
  const own = threadsOf(pid).flatMap((tid) =>
    (read(`/proc/${pid}/task/${tid}/children`) ?? '').split(' ').filter(Boolean).map(Number),
  )
  return own.flatMap((child) => [child, ...descendants(child)])
}

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number)
  } catch {
    return [] // it has ended, or there is no /proc
  }
}

/** Of the main thread of this process, in ms. */
export function ownQueuedMs(): number {
  return countersOf(process.pid, process.pid)?.queuedMs ?? 0
}

interface Counters {
  readonly cpuMs: number
  readonly queuedMs: number
}

/** The first two fields of schedstat: nanoseconds on a CPU, and ready to run without one. */
function countersOf(pid: number, tid: number): Counters | null {
  const text = read(`/proc/${pid}/task/${tid}/schedstat`)
  if (text === null) return null
  const [cpu, queued] = text.split(' ').map((field) => Number(field) / 1e6)
  return { cpuMs: cpu!, queuedMs: queued! }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

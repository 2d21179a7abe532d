// A short look at a task before anything is compared: how long a call takes, what it does with the time, what it would have to send,
// and what it does to its arguments.

import { createHook } from 'node:async_hooks'
import { isDeepStrictEqual } from 'node:util'
import type { Executor } from '../../runtime/executor/executor.js'
import { cpuTimes, runQueueSeconds } from '../machine/process-resources.js'
import type { Scout } from '../results/result.js'
import { runLanes } from './run-lanes.js'
import { difference } from './usage-counter.js'
import { bytesOf, type Workload } from './workload.js'

/** Resource types of async_hooks that stand for work in libuv's thread pool (nodejs.org/api/cli.html#uv_threadpool_sizesize). */
const UV_WORK =
  /^(FS|FILEHANDLE|STATFS|PBKDF2|SCRYPT|RANDOMBYTES|RANDOMPRIME|CHECKPRIME|KEYGEN|KEYPAIRGEN|KEYEXPORT|SIGN|HASH|HKDF|CIPHER|DERIVEBITS|VERIFY|GETADDRINFO|GETNAMEINFO|ZLIB|BLOBREADER)/

/** Calls that are watched one by one: several short ones, and none beside the first of those that take so long. */
const WATCHED = 3
const LONG_MS = 500

export async function runScout(
  executor: Executor,
  workload: Workload,
  variant: string,
  measureMs: number,
): Promise<Scout> {
  const task = workload.variants[variant]!
  await executor.ready
  const run = (args: readonly unknown[]) => executor.run(task, [...args] as never)
  const first = await watchFirst(run, workload.argumentsOf(variant, 0))
  const call = (index: number) => runFresh(run, workload.argumentsOf(variant, index), first.changesInput)
  const watched = first.callMs < LONG_MS ? await watchCalls(call) : first
  const timed = first.callMs < LONG_MS ? await timeCalls(call, measureMs) : first
  await executor.close()
  const callUs = (1000 * timed.callMs) / timed.calls
  const cpuUs = Math.min(callUs, (1000 * timed.cpuMs) / timed.calls) // work of libuv's threads may overlap with the call's
  return {
    callUs,
    cpuUs,
    cpuShare: cpuUs / callUs,
    argumentBytes: bytesOf(workload.argumentsOf(variant, 0)),
    resultBytes: bytesOf(watched.result),
    uvWork: watched.uvWork,
    errorRate: timed.failed / timed.calls,
    firstError: timed.firstError,
    changesInput: first.changesInput,
    isLazy: isLazy(first.result),
  }
}

type Run = (args: readonly unknown[]) => Promise<unknown>

/** An inline call shares its arguments with the caller; what the task does to them must not spoil the next look. */
function runFresh(run: Run, args: readonly unknown[], changesInput: boolean): Promise<unknown> {
  return run(changesInput ? structuredClone<readonly unknown[]>(args) : args)
}

interface Timed {
  readonly calls: number
  readonly callMs: number
  readonly cpuMs: number
  readonly failed: number
  readonly firstError: string | null
}

interface Watched {
  readonly uvWork: string[]
  readonly result: unknown
}

/** The first call is apart: it may only be loading. Of a long one it is all that is seen. */
async function watchFirst(
  run: Run,
  args: readonly unknown[],
): Promise<Timed & Watched & { changesInput: boolean }> {
  const isCloneable = bytesOf(args) !== null
  const before = isCloneable ? structuredClone(args) : null
  const own = isCloneable ? structuredClone<readonly unknown[]>(args) : args
  const cpuBefore = cpuTimes()
  const queuedBefore = runQueueSeconds()
  const started = performance.now()
  let error: unknown
  const { uvWork, result } = await watch(() => run(own).catch((reason: unknown) => void (error = reason)))
  const callMs = performance.now() - started - 1000 * (runQueueSeconds() - queuedBefore)
  const cpuSeconds = difference(cpuTimes().total, cpuBefore.total)
  const failed = error === undefined ? 0 : 1
  return {
    calls: 1,
    callMs,
    cpuMs: cpuSeconds === null ? callMs : 1000 * cpuSeconds,
    failed,
    firstError: failed ? String(error) : null,
    uvWork,
    result,
    changesInput: isCloneable && isChanged(before, own),
  }
}

/** By values: two clones of one number may differ in their bytes. What cannot be cloned any more was given away. */
function isChanged(before: unknown, after: readonly unknown[]): boolean {
  return bytesOf(after) === null || !isDeepStrictEqual(before, structuredClone(after))
}

async function watchCalls(call: (index: number) => Promise<unknown>): Promise<Watched> {
  return watch(async () => {
    let result: unknown
    for (let i = 1; i <= WATCHED; i++) result = await call(i).catch(() => undefined)
    return result
  })
}

/** Notes which work is given to the thread pool meanwhile. */
async function watch(run: () => Promise<unknown>): Promise<Watched> {
  const types = new Set<string>()
  const jobs = new Map<number, string>()
  const hook = createHook({
    init(id, type) {
      if (UV_WORK.test(type)) jobs.set(id, type)
    },
    // Only now it is known to have been in the pool: the synchronous forms are announced too, but never called back.
    before(id) {
      const type = jobs.get(id)
      if (type !== undefined) types.add(type)
    },
  })
  hook.enable()
  const result = await run()
  hook.disable()
  return { uvWork: [...types].sort(), result }
}

async function timeCalls(call: (index: number) => Promise<unknown>, measureMs: number): Promise<Timed> {
  await callFor(call, measureMs / 3)
  const cpuBefore = cpuTimes()
  const queuedBefore = runQueueSeconds()
  const seen = await callFor(call, measureMs)
  const cpuSeconds = difference(cpuTimes().total, cpuBefore.total)
  const timed = { ...seen, callMs: Math.max(0.001, seen.callMs - 1000 * (runQueueSeconds() - queuedBefore)) }
  return { ...timed, cpuMs: cpuSeconds === null ? timed.callMs : 1000 * cpuSeconds }
}

async function callFor(call: (index: number) => Promise<unknown>, ms: number): Promise<Omit<Timed, 'cpuMs'>> {
  const started = performance.now()
  const seen = { calls: 0, failed: 0, firstError: null as string | null, callMs: 0 }
  await runLanes(
    { ownThread: true, call },
    {
      open: 1,
      isEnough({ ended, isFailed, error }) {
        seen.calls++
        seen.callMs = ended - started
        if (isFailed) seen.failed++
        if (isFailed) seen.firstError ??= String(error)
        return seen.callMs >= ms
      },
    },
  )
  return seen
}

/** Whether the work is done only while somebody asks for the pieces of the result. */
function isLazy(result: unknown): boolean {
  if (typeof result !== 'object' || result === null) return false
  return Symbol.asyncIterator in result || (Symbol.iterator in result && 'next' in result)
}

// A short look at a task before the rounds: how long a call takes, what it does with the time, what it would have to send.

import { createHook } from 'node:async_hooks'
import { serialize } from 'node:v8'
import type { Executor } from '../../runtime/executor/executor.js'
import { CallDriver } from './drive-calls.js'
import { cpuTimes } from '../machine/process-resources.js'
import type { Scout } from '../results/result.js'
import type { Workload } from './workload.js'

/** Resource types of async_hooks that stand for work in libuv's thread pool (nodejs.org/api/cli.html#uv_threadpool_sizesize). */
const UV_WORK =
  /^(FS|FILEHANDLE|STATFS|PBKDF2|SCRYPT|RANDOMBYTES|RANDOMPRIME|CHECKPRIME|KEYGEN|KEYPAIRGEN|KEYEXPORT|SIGN|HASH|HKDF|CIPHER|DERIVEBITS|VERIFY|GETADDRINFO|GETNAMEINFO|ZLIB|BLOBREADER)/

export async function runScout(
  executor: Executor,
  workload: Workload,
  variant: string,
  measureMs: number,
): Promise<Scout> {
  const task = workload.variants[variant]!
  const call = (index: number) => executor.run(task, [...workload.argumentsOf(variant, index)] as never)
  await executor.ready
  const { uvWork, result } = await watchCalls(call)
  const driver = new CallDriver({ inFlight: 1, ownThread: true, call })
  await driver.runFor(measureMs / 3)
  const cpuBefore = cpuTimes()
  const { counts, seconds } = await driver.runFor(measureMs)
  const cpuAfter = cpuTimes()
  await driver.stop()
  await executor.close()
  const calls = counts.completed + counts.failed
  const callUs = (seconds / calls) * 1e6
  const cpuSeconds = (cpuAfter.total ?? seconds) - (cpuBefore.total ?? 0)
  const cpuUs = (cpuSeconds / calls) * 1e6
  return {
    callUs,
    cpuUs,
    cpuShare: cpuUs / callUs,
    argumentBytes: cloneBytes(workload.argumentsOf(variant, 0)),
    resultBytes: cloneBytes(result),
    uvWork,
    errorRate: counts.failed / calls,
    firstError: counts.firstError,
  }
}

/** Makes a few calls and notes which work they give to the thread pool. The first call is apart: it may only be loading. */
async function watchCalls(call: (index: number) => Promise<unknown>) {
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
  let result: unknown
  await call(0).catch(() => {})
  hook.enable()
  for (let i = 1; i <= 3; i++) result = await call(i).catch(() => undefined)
  hook.disable()
  return { uvWork: [...types].sort(), result }
}

function cloneBytes(value: unknown): number | null {
  try {
    return serialize(value).length
  } catch {
    return null
  }
}

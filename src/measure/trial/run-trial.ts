// The measured part of a trial: start the executor, warm up until stable, then measure. Runs inside the trial process.

import { setTimeout as delay } from 'node:timers/promises'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { readThrottling } from '../../cpu/throttling.js'
import type { Executor } from '../../runtime/executor/executor.js'
import { CallDriver } from './drive-calls.js'
import { startLoopDelayProbe } from './loop-delay.js'
import { cpuTimes, mappedBytes, privateBytes } from '../machine/process-resources.js'
import type { BurstTrial, CellPlan, CellTrial, MemoryTrial, TrialTiming } from './trial.js'
import type { Program, Workload } from './workload.js'

export type MakeExecutor = (cell: CellPlan, module: string) => Executor

/** Throughput that rises by less than this from one block to the next has stopped rising. */
const STABLE = 0.05
const BLOCKS_PER_WARM_UP = 8

/**
 * Calls that are open together may end together: thousands of file reads all end within the last moments of their time in
 * libuv's pool. So a window holds each place's call at least this often, or it would see a bunch, or the gap between two.
 */
const GENERATIONS = 2

export async function runCell(
  workload: Workload,
  cell: CellPlan,
  timing: TrialTiming,
  makeExecutor: MakeExecutor,
): Promise<CellTrial> {
  const memoryBefore = privateBytes()
  const created = performance.now()
  const executor = makeExecutor(cell, workload.module)
  await executor.ready
  const call = await timedCall(executor, workload, cell)
  await call(0).catch(() => {}) // a call that fails is counted below
  const startMs = performance.now() - created

  const ownThread = !executor.capabilities.parallel
  const driver = new CallDriver({ inFlight: cell.inFlight, ownThread, call })
  await warmUp(driver, timing)
  const measured = await measureWindow(driver, { ownThread, ms: timing.measureMs, inFlight: cell.inFlight })
  const memoryBytes = perWorker(difference(privateBytes(), memoryBefore), cell)
  await driver.stop()
  await executor.close()
  return { kind: 'cell', ...measured, memoryBytes, startMs }
}

/** The window itself. Only threads of our own have a heap that can be looked into: leaks show inline and concurrent. */
async function measureWindow(
  driver: CallDriver,
  { ownThread, ms, inFlight }: { ownThread: boolean; ms: number; inFlight: number },
) {
  const heap = ownThread ? garbageCollector() : async () => null
  const probe = startLoopDelayProbe()
  const heapBefore = await heap()
  const throttledBefore = readThrottling()?.throttledMs ?? null
  const cpuBefore = cpuTimes()
  probe.reset()
  const { counts, seconds, callsPerSecond } = await driver.runFor(ms, { calls: GENERATIONS * inFlight })
  const cpuAfter = cpuTimes()
  const throttledAfter = readThrottling()?.throttledMs ?? null
  const loopDelay = probe.stop()
  const heapAfter = await heap()
  return {
    completed: counts.completed,
    failed: counts.failed,
    firstError: counts.firstError,
    seconds,
    callsPerSecond,
    latency: counts.latency.toJSON(),
    loopDelay: loopDelay.toJSON(),
    cpuSeconds: difference(cpuAfter.total, cpuBefore.total),
    mainCpuSeconds: difference(cpuAfter.main, cpuBefore.main),
    leakBytes: difference(heapAfter, heapBefore),
    throttledMs: difference(throttledAfter, throttledBefore),
  }
}

/** Starts `calls` calls at once, `bursts` times, and notes when each of them ends. */
export async function runBurst(
  workload: Workload,
  { cell, calls, bursts }: { cell: CellPlan; calls: number; bursts: number },
  makeExecutor: MakeExecutor,
): Promise<BurstTrial> {
  const executor = makeExecutor(cell, workload.module)
  const call = caller(executor, workload, cell.variant)
  await executor.ready
  await call(0)
  const endsMs: number[][] = []
  for (let burst = 0; burst < bursts; burst++) {
    const started = performance.now()
    const ends: number[] = []
    const noteEnd = () => ends.push(performance.now() - started)
    await Promise.all(Array.from({ length: calls }, (_, i) => call(i).then(noteEnd)))
    endsMs.push(ends)
  }
  await executor.close()
  return { kind: 'burst', endsMs }
}

/** The memory of the process once every worker has run the task a few times and has fallen idle. */
export async function runMemory(
  workload: Workload,
  cell: CellPlan,
  makeExecutor: MakeExecutor,
): Promise<MemoryTrial> {
  const executor = makeExecutor(cell, workload.module)
  const call = caller(executor, workload, cell.variant)
  await executor.ready
  await Promise.all(Array.from({ length: cell.size * 4 }, (_, i) => call(i)))
  await delay(200) // lets concurrent garbage collection and late compilation come to rest
  await garbageCollector()()
  const { rss, virtual } = mappedBytes()
  const memory: MemoryTrial = {
    kind: 'memory',
    rssBytes: rss,
    privateBytes: privateBytes(),
    virtualBytes: virtual,
  }
  await executor.close()
  return memory
}

/** What is timed: a call of the task, or a program that makes many. */
async function timedCall(
  executor: Executor,
  workload: Workload,
  { source, variant }: CellPlan,
): Promise<(index: number) => Promise<unknown>> {
  if (source.kind !== 'task' || source.program === undefined) return caller(executor, workload, variant)
  const { start } = (await import(source.program)) as Program
  return start(executor, ...workload.argumentsOf(variant, 0))
}

function caller(executor: Executor, workload: Workload, variant: string) {
  const run = executor.tasks as Record<string, (...args: unknown[]) => Promise<unknown>>
  const task = workload.variants[variant]!
  return (index: number) => run[task]!(...workload.argumentsOf(variant, index))
}

async function warmUp(driver: CallDriver, { warmUpMs }: TrialTiming): Promise<void> {
  const started = performance.now()
  const blockMs = warmUpMs.most / BLOCKS_PER_WARM_UP
  let best = 0
  for (;;) {
    const { callsPerSecond: rate } = await driver.runFor(blockMs)
    const elapsed = performance.now() - started
    if (elapsed >= warmUpMs.most || (elapsed >= warmUpMs.least && rate < best * (1 + STABLE))) return
    best = Math.max(best, rate)
  }
}

/**
 * A function that collects garbage and gives the bytes that stay. Twice, with a turn of the event loop between: the memory
 * of buffers is freed by callbacks after the first collection. The flag changes nothing for the user's code.
 */
function garbageCollector(): () => Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  return async () => {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
    collect()
    const { used_heap_size: heap, external_memory: external } = getHeapStatistics()
    return heap + external // process.memoryUsage() opens a file, and the task may have used up all there are
  }
}

function difference(after: number | null, before: number | null): number | null {
  return after === null || before === null ? null : after - before
}

function perWorker(bytes: number | null, { executor, size }: CellPlan): number | null {
  if (bytes === null) return null
  return executor === 'threads' || executor === 'processes' ? bytes / size : bytes
}

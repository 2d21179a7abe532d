// Inside the process of a version: loads its function, shows what it gives, and calls it in short turns when it is asked to.

import { inspect, isDeepStrictEqual } from 'node:util'
import { GCProfiler, getHeapStatistics } from 'node:v8'
import { loadTasks } from '../../runtime/task/load-task.js'
import { runQueueSeconds } from '../machine/process-resources.js'
import { collectGarbage } from './collect-garbage.js'
import { directCalls, settled, type DirectCalls } from './direct-calls.js'
import { freshArguments, type FreshArguments } from './fresh-arguments.js'
import type { TrialProtocol } from './trial.js'
import { bytesOf, type Workload } from './workload.js'

/** Calls between two looks at the clock take about so long. */
const BATCH_US = 40

/** Argument lists of a workload that makes them are made before anything is timed: so many, used in turn. */
const MADE_INPUTS = 256

/** A warm-up tells its rate this often. */
const BLOCK_MS = 50

/** Code counts as warm from the block on that comes so near to the last ones. */
const WARM = 0.8

/** So few calls are made only where each is long. */
const FEW = 10

type Ask<K extends keyof TrialProtocol> = (
  asked: TrialProtocol[K]['asked'],
) => Promise<TrialProtocol[K]['answered']>

export type VersionTrial = { [K in 'results' | 'warm' | 'turn' | 'usage']: Ask<K> }

interface State {
  readonly call: (args: readonly unknown[]) => Promise<unknown>
  readonly workload: Workload
  readonly variant: string
  readonly calls: DirectCalls
  /** Copies of the arguments, for a task that changes what it is given. */
  readonly copies: FreshArguments | null
  callUs: number
}

export async function openVersion(workload: Workload, variant: string): Promise<VersionTrial> {
  const name = workload.variants[variant]!
  const task = (await loadTasks(workload.module)).find(name) as (...args: unknown[]) => unknown
  const original = workload.argumentsOf(variant, 0)
  const bytes = bytesOf(original)
  const own = bytes === null ? original : structuredClone<readonly unknown[]>(original)
  const began = performance.now()
  const given = task(...own)
  await settled(given)
  const callUs = 1000 * (performance.now() - began)
  const changesInput = bytes !== null && !isDeepStrictEqual(own, original)
  const lists = Array.from({ length: countOfInputs(workload, variant) }, (_, i) =>
    workload.argumentsOf(variant, i),
  )
  const state: State = {
    workload,
    variant,
    callUs,
    calls: directCalls(task, lists, given),
    call: async (args) => settled(task(...args)),
    copies: changesInput ? freshArguments((call) => workload.argumentsOf(variant, call), bytes) : null,
  }
  return {
    results: (asked) => results(state, asked),
    warm: (asked) => warm(state, asked),
    turn: (asked) => turn(state, asked),
    usage: (asked) => usage(state, asked),
  }
}

/** Of a list its length, which shows when it begins again. */
function countOfInputs(workload: Workload, variant: string): number {
  const first = workload.argumentsOf(variant, 0)
  for (let count = 1; count < MADE_INPUTS; count++)
    if (workload.argumentsOf(variant, count) === first) return count
  return MADE_INPUTS
}

/** What the first inputs give, twice each: what differs from one call to the next cannot be compared. */
async function results(
  { call, workload, variant }: State,
  { most, ms }: TrialProtocol['results']['asked'],
): Promise<TrialProtocol['results']['answered']> {
  const until = performance.now() + ms
  const seen: TrialProtocol['results']['answered']['results'] = []
  const count = Math.min(most, countOfInputs(workload, variant))
  for (let index = 0; index < count && (index === 0 || performance.now() < until); index++) {
    const [a, b] = [
      await resultOf(call, workload.argumentsOf(variant, index)),
      await resultOf(call, workload.argumentsOf(variant, index)),
    ]
    seen.push({ ...a, isSteady: isDeepStrictEqual(a, b) })
  }
  return { results: seen }
}

async function resultOf(
  call: State['call'],
  args: readonly unknown[],
): Promise<{ value?: unknown; text?: string; error?: string }> {
  const own = bytesOf(args) === null ? args : structuredClone<readonly unknown[]>(args)
  try {
    const value = await call(own)
    return bytesOf(value) === null ? { text: inspect(value, { depth: 8 }) } : { value }
  } catch (error) {
    return { error: String(error) }
  }
}

/** Works for so long, and says when its code came to its speed. */
async function warm(
  state: State,
  { ms }: TrialProtocol['warm']['asked'],
): Promise<TrialProtocol['warm']['answered']> {
  const rates: number[] = []
  const started = performance.now()
  do {
    const { rate } = await turn(state, { ms: BLOCK_MS })
    rates.push(rate)
    state.callUs = 1e6 / rate
  } while (performance.now() - started < ms)
  const last = rates.slice(-Math.max(1, Math.ceil(rates.length / 4)))
  const steady = last.reduce((a, b) => a + b, 0) / last.length
  const warmAt = rates.findIndex((rate) => rate >= WARM * steady)
  return { callUs: 1e6 / steady, warmUpMs: warmAt * BLOCK_MS }
}

/**
 * Calls for so long, at least one. Time in which this thread was ready and had no CPU is left out where the kernel tells it: other
 * programs make it, and not the code. It is read within the time that it is taken from: whoever is held up between two readings would
 * otherwise have worked for no time at all.
 */
async function turn(
  state: State,
  { ms }: TrialProtocol['turn']['asked'],
): Promise<TrialProtocol['turn']['answered']> {
  const { calls, copies } = state
  const batch = Math.max(1, Math.floor(BATCH_US / state.callUs))
  const most = copies ? takeCopies(state, ms) : Infinity
  const cpuBefore = process.cpuUsage()
  const started = performance.now()
  const queuedBefore = runQueueSeconds()
  const until = performance.now() + ms
  let count = 0
  do {
    const next = Math.min(batch, most - count)
    const running = calls.run(next)
    if (running) await running
    count += next
  } while (performance.now() < until && count < most)
  const queuedMs = 1000 * (runQueueSeconds() - queuedBefore)
  const workedMs = Math.max(1e-4, performance.now() - started - queuedMs)
  const { user, system } = process.cpuUsage(cpuBefore)
  const cpuMs = Math.max(1e-4, (user + system) / 1000)
  return { rate: (1000 * count) / workedMs, cpuRate: (1000 * count) / cpuMs, cpuMs }
}

function takeCopies({ copies, calls, callUs }: State, ms: number): number {
  copies!.prepare()
  const wanted = Math.max(1, Math.min(20_000, Math.ceil((1000 * ms) / callUs)))
  calls.use(Array.from({ length: wanted }, () => copies!.take()))
  return wanted
}

/**
 * Bytes that each of so many calls allocates, in the heap and in buffers: what was there before and after, and what each collection
 * between took away. And what the process holds when all garbage is gone.
 */
async function usage(
  state: State,
  { count }: TrialProtocol['usage']['asked'],
): Promise<TrialProtocol['usage']['answered']> {
  const { calls, copies } = state
  await allocatedBy(state, count < FEW ? 0 : FEW) // the profiler has its own first time
  await collectGarbage()
  // What is compiled meanwhile is allocated, too, once: the smaller of two looks.
  const allocatedBytes = Math.min(await allocatedBy(state, count), await allocatedBy(state, count))
  copies?.release()
  if (copies) calls.use([[]])
  return { allocatedBytes, heldBytes: await collectGarbage() }
}

async function allocatedBy({ calls, copies }: State, count: number): Promise<number> {
  copies?.prepare()
  if (copies) calls.use(Array.from({ length: count }, () => copies.take()))
  const profiler = new GCProfiler()
  profiler.start()
  const before = getHeapStatistics()
  const running = calls.run(count)
  if (running) await running
  const after = getHeapStatistics()
  const { statistics } = profiler.stop()
  const collected = statistics.reduce(
    (sum, { beforeGC, afterGC }) => sum + heldBy(beforeGC.heapStatistics) - heldBy(afterGC.heapStatistics),
    0,
  )
  const left = after.used_heap_size + after.external_memory - before.used_heap_size - before.external_memory
  return Math.max(0, left + collected) / Math.max(1, count)
}

function heldBy({ usedHeapSize, externalMemory }: { usedHeapSize: number; externalMemory: number }): number {
  return usedHeapSize + externalMemory
}

// Inside the process of a trial: its executor lives from the start on, and works while a window or a warm-up runs.

import { totalmem } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { cpuTimes, mappedBytes, privateBytes, type CpuTimes } from '../machine/process-resources.js'
import { collectGarbage } from './collect-garbage.js'
import { countWindow, type Counted } from './count-window.js'
import { makeDueCalls } from './due-calls.js'
import { openExecutor, type MakeExecutor, type MeasuredExecutor } from './measured-executor.js'
import { leadUntilPeriod, payableRate, phaseOf, spinForFreezes } from './quota-period.js'
import { runLanes } from './run-lanes.js'
import type { CellPlan, TrialProtocol, Usage } from './trial.js'
import { difference, UsageCounter } from './usage-counter.js'
import type { Workload } from './workload.js'

/** Long calls begin with a period that begins no sooner than in so many ms. */
const MARGIN_MS = 3

const PERIODS = 4

/** How often a long warm-up or window looks at what it has used. */
const LOOK_MS = 50

/** Memory that a trial may add: so much, and at most this share of the machine's. */
const MAX_BYTES = { fixed: 512 * 1024 * 1024, share: 1 / 8 }

type Ask<K extends keyof TrialProtocol> = (
  asked: TrialProtocol[K]['asked'],
) => Promise<TrialProtocol[K]['answered']>

export type LiveTrial = {
  [K in 'warmUp' | 'findPeriod' | 'window' | 'profile' | 'due' | 'report']: Ask<K>
} & {
  readonly startMs: number | null
}

interface State {
  readonly cell: CellPlan
  readonly load: MeasuredExecutor
  readonly usage: UsageCounter
  readonly memoryBefore: number | null
  readonly mostBytes: number
  phase: number | null
  /** CPU times when the last window ended. */
  last: CpuTimes
  /** The heap after a collection, and the calls until then. */
  heap: { bytes: number; calls: number } | null
}

export async function startTrial(
  { cell, isLong }: TrialProtocol['start']['asked'],
  workload: Workload,
  makeExecutor: MakeExecutor,
): Promise<LiveTrial> {
  const memoryBefore = privateBytes()
  const created = performance.now()
  const load = await openExecutor(cell, workload, makeExecutor)
  load.prepare()
  if (!isLong) await load.call(0).catch(() => {}) // a call that fails is counted in the windows
  const startMs = isLong ? null : performance.now() - created
  const mostBytes = mappedBytes().rss + Math.min(MAX_BYTES.fixed, MAX_BYTES.share * totalmem())
  const state: State = {
    cell,
    load,
    usage: new UsageCounter(),
    memoryBefore,
    mostBytes,
    phase: null,
    last: cpuTimes(),
    heap: null,
  }
  return {
    startMs,
    warmUp: (asked) => warmUp(state, asked),
    findPeriod: async () => ({ phase: (state.phase = phaseOf(spinForFreezes(PERIODS), PERIODS)) }),
    window: (asked) => window(state, asked),
    profile: (asked) => profile(state, asked),
    due: async (asked) => dueCalls(state, asked),
    report: async () => state.usage.get(await leakOf(state)),
  }
}

async function warmUp({ cell, load, mostBytes }: State, { ms, cpuMs }: TrialProtocol['warmUp']['asked']) {
  const before = cpuTimes()
  const started = performance.now()
  let calls = 0
  let lookAt = started + LOOK_MS
  load.prepare()
  await runLanes(load, {
    open: cell.inFlight,
    isEnough: ({ ended }) => {
      calls++
      if (ended - started >= ms) return true
      if (ended < lookAt) return false
      lookAt = ended + LOOK_MS
      const used = difference(cpuTimes().total, before.total)
      return (used !== null && used * 1000 >= cpuMs) || mappedBytes().rss > mostBytes
    },
  })
  const used = difference(cpuTimes().total, before.total)
  const wallMs = performance.now() - started
  const callUs = (1000 * wallMs * cell.inFlight) / calls
  return { calls, callUs, cpuUs: used === null ? callUs : (1e6 * used) / calls }
}

async function window(state: State, asked: TrialProtocol['window']['asked']) {
  const started = performance.now()
  const { counted, before, after } = await runWindow(state, asked)
  const idle = difference(before.total, state.last.total)
  const used = difference(after.total, before.total)
  state.last = after
  return {
    rate: counted.rate,
    calls: counted.calls,
    wallMs: performance.now() - started,
    cpuMs: used === null ? null : 1000 * used,
    idleCpuMs: idle === null ? null : 1000 * idle,
    isFull: await isFull(state),
  }
}

async function profile(state: State, asked: TrialProtocol['profile']['asked']) {
  const { cell, load, usage } = state
  load.release()
  if (load.ownThread) state.heap = { bytes: await collectGarbage(), calls: usage.calls }
  await runWindow(state, asked)
  state.last = cpuTimes()
  const memoryBytes = perWorker(difference(privateBytes(), state.memoryBefore), cell)
  return { memoryBytes, usage: usage.get(null) }
}

/** They do not belong to the windows: neither their time nor their failures. */
async function dueCalls(state: State, asked: TrialProtocol['due']['asked']) {
  state.load.prepare()
  const { latency, failed } = await makeDueCalls(state.load, asked)
  state.last = cpuTimes()
  return { latency: latency.toJSON(), failed }
}

async function runWindow(
  { cell, load, usage, mostBytes, phase }: State,
  { plan, hasQuota }: TrialProtocol['window']['asked'],
): Promise<{ counted: Counted; before: CpuTimes; after: CpuTimes }> {
  load.prepare()
  const leadMs = (least: number) => leadUntilPeriod(phase, performance.now(), least)
  if (hasQuota && plan.kind === 'laps' && phase !== null) await delay(leadMs(MARGIN_MS))
  const begun = usage.begin()
  let lookAt = performance.now() + LOOK_MS
  const isAligned = hasQuota && plan.kind === 'span'
  const counted = await countWindow(load, isAligned ? { ...plan, leadMs: leadMs(plan.leadMs) } : plan, {
    onCounted: (call) => usage.record(call),
    mustStop() {
      const now = performance.now()
      if (now < lookAt) return false
      lookAt = now + LOOK_MS
      return mappedBytes().rss > mostBytes
    },
  })
  const times = usage.end(begun, counted)
  const used = difference(times.after.total, times.before.total)
  if (!hasQuota || isAligned || used === null) return { counted, ...times }
  const most = payableRate(counted.calls, 1000 * used, cell.cpus)
  return { counted: { ...counted, rate: Math.min(counted.rate, most) }, ...times }
}

/** Garbage may only look like a leak, so it is collected before anybody is blamed. */
async function isFull({ load, mostBytes }: State): Promise<boolean> {
  if (mappedBytes().rss <= mostBytes) return false
  if (load.ownThread) await collectGarbage()
  return mappedBytes().rss > mostBytes
}

async function leakOf({ heap, usage, load }: State): Promise<Usage['leak']> {
  load.release()
  return heap && { bytes: (await collectGarbage()) - heap.bytes, calls: usage.calls - heap.calls }
}

function perWorker(bytes: number | null, { executor, size }: CellPlan): number | null {
  if (bytes === null) return null
  return executor === 'threads' || executor === 'processes' ? bytes / size : bytes
}

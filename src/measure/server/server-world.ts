// The world of a decision about a server: rows that live side by side, each a server under a CPU limit of its own.

import type { Candidate, Contender, Failure, Reading, World } from '../decision/world.js'
import { ownCpuMs, type MachineCpu } from '../machine/machine-cpu.js'
import { waitForQuiet } from '../machine/quiet.js'
import type { Random } from '../stats/random.js'
import type { Enforcement } from '../trial/trial.js'
import type { ServerPhase } from './options.js'
import {
  planLoad,
  planWarmUp,
  planWider,
  planSaturationWindow,
  windowMs,
  type FirstLook,
} from './plan-load.js'
import type { Saturation, SaturationPlan, ServerRow, ServerTrial, StartServerTrial } from './server-trial.js'

export interface RowCandidate extends Candidate {
  readonly row: ServerRow
}

/** What comes from outside: the real things, or exact fakes in tests. */
export interface ServerOutside {
  readonly startTrial: StartServerTrial
  /** Milliseconds. */
  readonly now: () => number
  readonly machineCpu: MachineCpu
}

export interface ServerWorldOptions extends ServerOutside {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly connections: number
  readonly startedMs: number
  /** Seconds after which the decision must have ended. */
  readonly until: number
  /** CPUs that all servers and the load have together. */
  readonly cpus: number
  readonly random: Random
  readonly signal: AbortSignal | undefined
  readonly onPhase: (phase: ServerPhase) => void
  readonly onLook: NonNullable<World<RowCandidate>['onLook']>
}

/** What was seen of a row beside its windows. */
export interface RowRecord {
  readonly row: ServerRow
  enforcement: Enforcement | null
  answerBytes: number | null
  /** Of the first of its processes, and for all of them. */
  look: FirstLook | null
  plan: SaturationPlan | null
  readonly startMs: number[]
  readonly saturations: Saturation[]
  /** The servers that still run: the ones that left the race, too, whose latency may be asked for. */
  readonly trials: ServerTrial[]
}

export interface ServerWorld extends World<RowCandidate> {
  readonly records: ReadonlyMap<ServerRow, RowRecord>
  /** Ends all servers. */
  end(): Promise<void>
}

/** Milliseconds before a window, at least, where a quota limits it: only the second of its periods begins as all later ones do. */
const LEAD_OF_QUOTA_MS = 200
/** Each process gets so much of a CPU to warm up, and at most this share of the time. */
const WARM_UP = { ms: 1500, share: 0.25 }
/** Windows without any answer or failure, the next one twice as long: server or load may have stood still. */
const MAX_EMPTY = 2

export function createServerWorld(options: ServerWorldOptions): ServerWorld {
  const { random, signal, now, startedMs, onLook } = options
  const records = new Map<ServerRow, RowRecord>()
  return {
    random,
    records,
    onLook,
    seconds: () => (now() - startedMs) / 1000,
    isStopped: () => signal?.aborted === true,
    open: (candidates) => open(candidates, records, options),
    waitForQuiet: (seconds) => waitForQuiet(options, seconds),
    end: async () => {
      const all = [...records.values()].flatMap(({ trials }) => trials.splice(0))
      await Promise.all(all.map((trial) => trial.stop()))
    },
  }
}

async function open(
  candidates: readonly RowCandidate[],
  records: Map<ServerRow, RowRecord>,
  options: ServerWorldOptions,
): Promise<(Contender | Failure)[]> {
  options.onPhase('starting')
  const started: (ServerTrial | Failure)[] = []
  for (const { row } of candidates) {
    const trial = await start(row, options)
    if (!('failed' in trial)) keep(trial, row, records)
    started.push(trial)
  }
  options.onPhase('warming up')
  const warm = await warmUp(candidates, started, options)
  options.onPhase('measuring')
  // Where nobody knows what an answer computes: enough for the row that computes most at a time.
  const shared = 2 * Math.max(...candidates.map(({ row }) => Math.max(row.instances, Math.ceil(row.cpus))))
  return started.map((trial, index) => {
    if ('failed' in trial) return trial
    const { row } = candidates[index]!
    const record = records.get(row)!
    const { firstAnswerMs: firstMs } = trial
    record.look ??= { row, firstMs, warm: warm[index] ?? null, most: options.connections, shared }
    record.plan ??= planLoad(record.look)
    const longMs = windowMs(record.plan)
    const contender = { measure: () => readWindow(trial, record, options), close: async () => {} }
    return longMs > leftMs(options) ? { failed: tooSlow(longMs) } : contender
  })
}

/** Answers may take so long that the start of each row, which asks for one, is all that there is time for. */
async function start(row: ServerRow, options: ServerWorldOptions): Promise<ServerTrial | Failure> {
  if (options.signal?.aborted) return { failed: 'interrupted' }
  if (leftMs(options) <= 0)
    return { failed: 'there was no time left to start it; a larger --budget gives it more' }
  return options.startTrial({ ...options, row, env: { ...options.env, ...row.env } })
}

function tooSlow(longMs: number): string {
  const seconds = Math.ceil(longMs / 1000)
  return `its answers take so long that a single window of about ${seconds} s does not fit into the time that is left; a larger --budget gives it more`
}

function leftMs({ until, now, startedMs }: ServerWorldOptions): number {
  return Math.max(0, 1000 * until - (now() - startedMs))
}

function keep(trial: ServerTrial, row: ServerRow, records: Map<ServerRow, RowRecord>): void {
  const known = records.get(row)
  const record = known ?? {
    row,
    enforcement: null,
    answerBytes: null,
    look: null,
    plan: null,
    startMs: [],
    saturations: [],
    trials: [],
  }
  records.set(row, record)
  record.enforcement = trial.enforcement
  record.answerBytes = trial.answerBytes
  record.startMs.push(trial.startMs)
  record.trials.push(trial)
}

/** All at once, and without the limits: what counts is how often the code has run. */
async function warmUp(
  candidates: readonly RowCandidate[],
  started: readonly (ServerTrial | Failure)[],
  options: ServerWorldOptions,
): Promise<(Saturation | null)[]> {
  const { cpus, signal } = options
  if (signal?.aborted || leftMs(options) === 0) return []
  const trials = started.filter((trial): trial is ServerTrial => !('failed' in trial))
  const processes = candidates.reduce((sum, { row }) => sum + row.instances, 0)
  const countMs = Math.min((WARM_UP.ms * processes) / cpus, WARM_UP.share * leftMs(options))
  for (const trial of trials) trial.liftLimit()
  const warm = started.map(async (trial, index) => {
    if ('failed' in trial) return null
    return trial.saturate(planWarmUp(candidates[index]!.row, trial.firstAnswerMs, countMs))
  })
  const seen = await Promise.all(warm)
  for (const trial of trials) trial.restoreLimit()
  return seen
}

/** @param empty windows before this one, in which nothing was answered and nothing failed */
async function readWindow(
  trial: ServerTrial,
  record: RowRecord,
  options: ServerWorldOptions,
  empty = 0,
): Promise<Reading | Failure> {
  const { now, startedMs, machineCpu, signal, random } = options
  const machineBefore = machineCpu()
  const ownBefore = ownCpuMs()
  const began = now()
  const leastMs = trial.enforcement.method === 'none' ? 0 : LEAD_OF_QUOTA_MS
  const plan = planSaturationWindow(record.plan!, leastMs, random)
  const seen = await trial.saturate({ ...plan, countMs: plan.countMs * 2 ** empty })
  const wallMs = now() - began
  if (signal?.aborted) return { failed: 'interrupted' }
  if (seen.isEmpty && empty < MAX_EMPTY) return readWindow(trial, record, options, empty + 1)
  const wider = planWider(record.look!, record.plan!, seen)
  if (wider) {
    record.plan = wider
    return readWindow(trial, record, options)
  }
  record.saturations.push(seen)
  if (seen.errorRate === 1)
    return { failed: `no request was answered: ${seen.firstError ?? 'none ended in time'}` }
  const machineAfter = machineCpu()
  const used = machineBefore === null || machineAfter === null ? null : machineAfter - machineBefore
  const others =
    used === null || seen.serverCpus === null
      ? null
      : used - seen.serverCpus * wallMs - (ownCpuMs() - ownBefore)
  const otherCpus = others === null ? null : Math.max(0, others / wallMs)
  const cpuRate = seen.cpuMs === null || seen.cpuMs === 0 ? null : 1000 / seen.cpuMs
  return { atMs: began - startedMs, wallMs, rate: seen.throughput, cpuRate, otherCpus }
}

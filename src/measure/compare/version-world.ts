// The world of a duel: every process of every version is alive, one of them works at a time, all on the same CPU.
//
//   start -> one call -> warm up, all at once on all CPUs -> what a call allocates -> move to one CPU -> turns of some milliseconds
//
// Two windows on two virtual CPUs differ by a log-sd of 0.25, on one by 0.12: the CPUs of a machine have different speeds at any moment.
// So all move to the next CPU together, now and then.

import type { Pinner } from '../../cpu/limit/pin-process.js'
import type { Candidate, Contender, Failure, Reading, World } from '../decision/world.js'
import { ownCpuMs, type MachineCpu } from '../machine/machine-cpu.js'
import { waitForQuiet } from '../machine/quiet.js'
import type { Random } from '../stats/random.js'
import { shuffle } from '../stats/random.js'
import type { TrialPlace, TrialProcess } from '../trial/trial-process.js'
import { isFailed, type VersionUsage, type VersionWarmUp } from '../trial/trial.js'
import type { VersionTask } from './version.js'

export interface VersionCandidate extends Candidate, VersionTask {}

export interface VersionOutside {
  readonly startTrial: (place: TrialPlace) => Promise<TrialProcess>
  /** Milliseconds. */
  readonly now: () => number
  readonly machineCpu: MachineCpu
  readonly pinner: Pinner | null
}

export interface VersionWorldOptions extends VersionOutside {
  readonly startedMs: number
  /** Seconds since then after which it must have ended. */
  readonly until: number
  /** Of each process, at most. Default 1200. */
  readonly warmUpMs?: number
  readonly cpus: number
  readonly random: Random
  readonly signal: AbortSignal | undefined
  readonly onPhase: (phase: ComparePhase) => void
  readonly onLook: (ratio: number | null) => void
}

export type ComparePhase = 'starting' | 'warming up' | 'measuring'

/** What was seen of a version beside its windows, of each of its processes. */
export interface VersionRecord {
  /** Calls that `usages` rest on. */
  calls: number
  /** Processes that were asked for them. */
  looks: number
  readonly warmUps: VersionWarmUp[]
  readonly usages: VersionUsage[]
}

export interface VersionWorld extends World<VersionCandidate> {
  readonly records: ReadonlyMap<string, VersionRecord>
  /** Why what was measured says nothing, where that is known only in the end. */
  readonly failure?: () => string | null
}

/** Long enough that asking for a window costs a small part of it, and short enough for many. */
const TURN_MS = 6
/** A window holds so many calls at least. */
const TURN_CALLS = 1
/** Of each process, at least and at most; at most this share of the time that is left goes by. */
const WARM_UP = { ms: 1200, share: 0.35 }
/** For what calls allocate: so long about, and so many calls; `passes` of them take at most this share of the time that is left. */
const USAGE = { ms: 40, least: 10, most: 20_000, passes: 3, share: 0.2 }
/** Of calls that are so long that there is no time for `least`: so many processes of a version look. */
const USAGE_OF_LONG = 2
const MOVE_MS = 2500
const PATIENCE = { openMs: 30_000, leastMs: 10_000, times: 10 }
/** What others use is told over so long: shorter windows see the ticks of the kernel. */
const OTHERS_MS = 120

interface Live {
  readonly process: TrialProcess
  callUs: number
}

interface Setting extends VersionWorldOptions {
  readonly records: Map<string, VersionRecord>
  readonly alive: Set<Live>
  /** The same for all processes, so that all have made as many calls; null until it is known. */
  usageCalls: number | null
  cpu: number | null
  movedMs: number
  /** Of the span in which others are watched: CPU of the machine and of our processes at its begin. */
  span: { readonly atMs: number; readonly machine: number | null; readonly own: number }
  usedMs: number
  otherCpus: number | null
}

export function createVersionWorld(options: VersionWorldOptions): VersionWorld {
  const { random, signal, now, startedMs, onLook } = options
  const setting: Setting = {
    ...options,
    records: new Map(),
    alive: new Set(),
    usageCalls: null,
    cpu: null,
    movedMs: 0,
    usedMs: 0,
    otherCpus: null,
    span: { atMs: 0, machine: null, own: 0 },
  }
  const killAll = () => void Promise.all([...setting.alive].map(({ process }) => process.kill()))
  signal?.addEventListener('abort', killAll, { once: true })
  return {
    random,
    records: setting.records,
    seconds: () => (now() - startedMs) / 1000,
    isStopped: () => signal?.aborted === true,
    open: (candidates) => open(setting, candidates),
    waitForQuiet: (seconds) => waitForQuiet(setting, seconds),
    onLook: (_live, best) => onLook(best && best.ratio),
  }
}

async function open(
  setting: Setting,
  candidates: readonly VersionCandidate[],
): Promise<(Contender | Failure)[]> {
  setting.onPhase('starting')
  const opened = await inTurns(candidates, setting.cpus, (candidate) => start(setting, candidate))
  setting.onPhase('warming up')
  await inTurns(opened, setting.cpus, (live, index) => warmUp(setting, live, candidates[index]!.name))
  const started = opened.filter((live): live is Live => !isFailed(live))
  setting.usageCalls ??= callsForUsage(setting, started)
  await inTurns(opened, setting.cpus, (live, index) => lookAtUsage(setting, live, candidates[index]!.name))
  await move(setting)
  beginSpan(setting)
  setting.onPhase('measuring')
  return opened.map((live) => (isFailed(live) ? live : contender(setting, live)))
}

async function start(
  setting: Setting,
  { version, source, variant }: VersionCandidate,
): Promise<Live | Failure> {
  const process = await setting.startTrial({ cpus: setting.cpus, uv: null, runtime: version.runtime })
  const live: Live = { process, callUs: 1 }
  setting.alive.add(live)
  const answer = await process.ask('open', { source, variant }, PATIENCE.openMs)
  if (!isFailed(answer)) return live
  await end(setting, live)
  return answer
}

async function end({ alive }: Setting, live: Live): Promise<void> {
  alive.delete(live)
  await live.process.kill()
}

/** A process that fails here fails again when it is measured, and is told then. */
async function warmUp(setting: Setting, live: Live | Failure, name: string): Promise<void> {
  if (isFailed(live)) return
  const most = (WARM_UP.share * leftMs(setting) * setting.cpus) / Math.max(1, setting.alive.size)
  const ms = Math.min(setting.warmUpMs ?? WARM_UP.ms, most)
  const answer = await live.process.ask('warm', { ms }, patience(ms))
  if (isFailed(answer)) return
  live.callUs = answer.callUs
  recordOf(setting, name).warmUps.push(answer)
}

/** One of a long call says enough, and more would take the time from what is timed. */
function callsForUsage(setting: Setting, started: readonly Live[]): number {
  const slowestMs = Math.max(1e-6, ...started.map(({ callUs }) => callUs / 1000))
  const wanted = Math.max(USAGE.least, Math.min(USAGE.most, Math.round(USAGE.ms / slowestMs)))
  const eachMs = (USAGE.share * leftMs(setting) * setting.cpus) / Math.max(1, setting.alive.size)
  return Math.max(1, Math.min(wanted, Math.floor(eachMs / USAGE.passes / slowestMs)))
}

async function lookAtUsage(setting: Setting, live: Live | Failure, name: string): Promise<void> {
  if (isFailed(live) || setting.signal?.aborted) return
  const count = setting.usageCalls!
  const record = recordOf(setting, name)
  if (count < USAGE.least && record.looks >= USAGE_OF_LONG) return
  record.looks++
  const answer = await live.process.ask(
    'usage',
    { count },
    patience((USAGE.passes * count * live.callUs) / 1000),
  )
  if (isFailed(answer)) return
  record.calls = count
  record.usages.push(answer)
}

function recordOf({ records }: Setting, name: string): VersionRecord {
  const record = records.get(name) ?? { calls: 0, looks: 0, warmUps: [], usages: [] }
  records.set(name, record)
  return record
}

function contender(setting: Setting, live: Live): Contender {
  return {
    async measure(): Promise<Reading | Failure> {
      const { now, startedMs } = setting
      if (now() - setting.movedMs > MOVE_MS) await move(setting)
      const ms = Math.max(TURN_MS, (TURN_CALLS * live.callUs) / 1000)
      const began = now()
      const answer = await live.process.ask('turn', { ms }, patience(ms))
      if (isFailed(answer)) return answer
      const wallMs = now() - began
      setting.usedMs += answer.cpuMs
      if (now() - setting.span.atMs > OTHERS_MS) endSpan(setting)
      const { otherCpus } = setting
      return { atMs: began - startedMs, wallMs, rate: answer.rate, cpuRate: answer.cpuRate, otherCpus }
    },
    close: () => end(setting, live),
  }
}

/** All together to another CPU. */
async function move(setting: Setting): Promise<void> {
  const { pinner, alive, random, now } = setting
  setting.movedMs = now()
  if (pinner === null) return
  const others = pinner.cpus.filter((cpu) => cpu !== setting.cpu)
  const cpu = shuffle(others.length > 0 ? others : pinner.cpus, random)[0]!
  setting.cpu = cpu
  const pids = [...alive].flatMap(({ process: { pid } }) => pid ?? [])
  await Promise.all(pids.map((pid) => pinner.pin(pid, cpu)))
}

function beginSpan(setting: Setting): void {
  setting.usedMs = 0
  setting.span = { atMs: setting.now(), machine: setting.machineCpu(), own: ownCpuMs() }
}

function endSpan(setting: Setting): void {
  const { span, usedMs } = setting
  const machine = setting.machineCpu()
  if (machine !== null && span.machine !== null) {
    const others = machine - span.machine - usedMs - (ownCpuMs() - span.own)
    setting.otherCpus = Math.max(0, others / (setting.now() - span.atMs))
  }
  beginSpan(setting)
}

function leftMs({ startedMs, until, now }: Setting): number {
  return Math.max(0, 1000 * until - (now() - startedMs))
}

function patience(expectedMs: number): number {
  return Math.max(PATIENCE.leastMs, PATIENCE.times * expectedMs)
}

async function inTurns<T, R>(
  items: readonly T[],
  width: number,
  use: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++)
      results[index] = await use(items[index]!, index)
  }
  await Promise.all(Array.from({ length: Math.min(Math.max(1, Math.floor(width)), items.length) }, worker))
  return results
}

// A trial from its start to the first window: started under its limit, warmed up without it, looked at once.

import type { Scout } from '../results/result.js'
import { emptyRecord, type CellRecord } from './cell-record.js'
import type { WindowPlan } from '../trial/count-window.js'
import { expectedMs, isolatesOf, isWaiting, planWindow } from './plan-window.js'
import type { TaskWorldOptions } from './task-world-options.js'
import type { TrialProcess } from '../trial/trial-process.js'
import { isFailed, type CellPlan, type FailedTrial, type Usage, type WarmUp } from '../trial/trial.js'

/** CPU time that each isolate has used when its code counts as warm; and seconds for tasks that mostly wait. */
const WARM_UP = { cpuMs: 1500, waitingMs: 3000, share: 1 / 3 }

const LONG_CALL_US = 500_000

/** Of a profile, at least. */
const PROFILE_MS = 300

/** Patience: for a start, a report, a window (as a multiple of what is expected, and at least), and after Ctrl-C. */
export const TRIAL_PATIENCE = {
  startMs: 20_000,
  reportMs: 1500,
  windows: 8,
  windowMs: 10_000,
  beyondMs: 2000,
  stoppedMs: 400,
}

export interface Setting extends TaskWorldOptions {
  readonly records: Map<CellPlan, CellRecord>
  readonly alive: Set<Trial>
  aloneBecause: string | null
  isChecked: boolean
  isRestless: boolean
}

export interface Trial {
  readonly cell: CellPlan
  readonly record: CellRecord
  readonly process: TrialProcess
  readonly scout: Scout
  readonly hasQuota: boolean
  warm: WarmUp | null
  usage: Usage | null
  /** Its process has ended before it was measured, and why. */
  failure: FailedTrial | null
  lastMs: number
}

export function leftMs({ startedMs, until, now }: Setting): number {
  return Math.max(0, 1000 * until - (now() - startedMs))
}

export async function startTrial(setting: Setting, cell: CellPlan): Promise<Trial | FailedTrial> {
  const record = setting.records.get(cell) ?? emptyRecord(cell)
  setting.records.set(cell, record)
  const process = await setting.startTrial({
    cpus: cell.cpus,
    uv: cell.uv,
    runtime: setting.runtimeOf?.(cell),
  })
  const { enforcement, hasQuota } = process
  const isQuota = hasQuota || (enforcement.method === 'none' && setting.isWithinQuota)
  const trial: Trial = {
    cell,
    record,
    process,
    scout: setting.scoutOf(cell),
    hasQuota: isQuota,
    warm: null,
    usage: null,
    failure: null,
    lastMs: 0,
  }
  record.enforcement = enforcement
  setting.alive.add(trial)
  const patience = Math.min(TRIAL_PATIENCE.startMs, leftMs(setting) + TRIAL_PATIENCE.beyondMs)
  const answer = await process.ask('start', { cell, isLong: isLong(trial.scout) }, patience)
  if (isFailed(answer)) {
    await end(setting, trial)
    return answer
  }
  if (answer.startMs !== null) record.startMs.push(answer.startMs)
  process.liftLimit()
  return trial
}

export async function end({ alive }: Setting, trial: Trial): Promise<void> {
  alive.delete(trial)
  await trial.process.kill()
}

/** What counts is how often the code has run, and not how fast: so all at once, and without the limit. */
export async function warmUpAll(setting: Setting, trials: readonly Trial[]): Promise<void> {
  const isolates = trials.reduce((sum, { cell }) => sum + isolatesOf(cell), 0)
  const most = (1.6 * WARM_UP.cpuMs * isolates) / setting.cpus
  await Promise.all(trials.map((trial) => warmUp(setting, trial, most)))
  for (const { process } of trials) process.restoreLimit()
  const limited = trials.filter(({ cell, hasQuota }) => hasQuota && cell.cpus < 1)
  const smallest = Math.min(1, ...limited.map(({ cell }) => cell.cpus))
  // Spinning side by side, as many as still leave a CPU for each.
  await inTurns(limited, Math.max(1, Math.floor(setting.cpus / smallest) - 1), findPeriod)
}

export async function warmUp(setting: Setting, trial: Trial, mostMs: number): Promise<void> {
  const { cell, scout, process } = trial
  const cpuMs = WARM_UP.cpuMs * isolatesOf(cell)
  const ms = Math.min(
    WARM_UP.share * leftMs(setting),
    mostMs,
    isWaiting(scout) ? WARM_UP.waitingMs : Infinity,
  )
  const answer = await process.ask('warmUp', { ms, cpuMs }, patienceFor(setting, ms + callsMs(trial)))
  if (isFailed(answer)) trial.failure = answer
  else trial.warm = answer
}

/** So long that every call must count. */
export function isLong({ callUs }: Scout): boolean {
  return callUs > LONG_CALL_US
}

/** Until all calls that are open have ended. */
function callsMs({ cell, scout }: Trial): number {
  return (scout.callUs / 1000) * (isWaiting(scout) ? 1 : Math.ceil(cell.inFlight / isolatesOf(cell)))
}

export function patienceFor(setting: Setting, expected: number): number {
  const generous = Math.max(TRIAL_PATIENCE.windowMs, TRIAL_PATIENCE.windows * expected)
  return Math.min(generous, leftMs(setting) + TRIAL_PATIENCE.beyondMs + 3 * expected)
}

export async function findPeriod({ process }: Trial): Promise<void> {
  await process.ask('findPeriod', {}, TRIAL_PATIENCE.windowMs)
}

/** One after the other: a window each, with a look at the event loop, the memory and the quota. */
export async function profileAll(setting: Setting, trials: readonly Trial[]): Promise<void> {
  const isSeen = new Set<CellRecord>()
  for (const trial of trials) {
    if (setting.signal?.aborted || leftMs(setting) === 0) return
    if (isSeen.has(trial.record) || isLong(trial.scout)) continue // the twin of the baseline; or every call counts
    isSeen.add(trial.record)
    await profileTrial(setting, trial)
  }
}

export async function profileTrial(setting: Setting, trial: Trial): Promise<void> {
  const plan = longPlanOf(trial, PROFILE_MS)
  const expected = expectedMs(plan, trial.cell, trial.scout, trial.warm)
  const asked = { plan, hasQuota: trial.hasQuota }
  const answer = await trial.process.ask('profile', asked, patienceFor(setting, expected))
  if (isFailed(answer)) {
    trial.failure ??= answer
    return
  }
  if (answer.memoryBytes !== null) trial.record.memoryBytes.push(answer.memoryBytes)
  keepUsage(trial, answer.usage)
}

export function planOf({ cell, scout, warm, hasQuota }: Trial) {
  return planWindow(cell, scout, warm, hasQuota)
}

export function longPlanOf(trial: Trial, leastMs: number): WindowPlan {
  const plan = planOf(trial)
  return plan.kind === 'laps' ? plan : { ...plan, countMs: Math.max(plan.countMs, leastMs) }
}

/** Instead of what the trial told before. */
export function keepUsage(trial: Trial, usage: Usage): void {
  const { usages } = trial.record
  if (trial.usage === null) usages.push(usage)
  else usages[usages.indexOf(trial.usage)] = usage
  trial.usage = usage
}

export async function inTurns<T, R>(
  items: readonly T[],
  width: number,
  use: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++) results[index] = await use(items[index]!)
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
  return results
}

// The plan from start to end: what the server costs, what each configuration would do with the load, which one is the cheapest that holds.

import { cpus as hostCpus } from 'node:os'
import { cpuBudget } from '../../cpu/cpu-budget.js'
import type { PlanCalibration, PlanResult, PlanShape } from '../results/plan-result.js'
import { mean } from '../stats/summary.js'
import { startAndCalibrate } from './calibrate-server.js'
import type { Calibration, Route } from './calibration.js'
import { formsOf } from './candidates.js'
import { checkRanked } from './check-plan.js'
import { judgeForm, type JudgedForm } from './judge.js'
import { moveWork } from './moved-work.js'
import { resolvePlan, type PlanOptions, type ResolvedPlan } from './options.js'
import { rankForms, type Ranked } from './rank.js'
import { threadTimes } from './thread-times.js'

/**
 * How many containers of which size a server needs for a load, with how many processes and threads in each.
 *
 * @throws TW_ERR_INVALID_OPTION; TW_ERR_INSTANCE_FAILED when the server does not listen, or does not answer a path with a status below 400;
 *   the reason of `signal` when it is aborted before there is a table.
 */
export async function plan(options: PlanOptions): Promise<PlanResult> {
  const resolved = resolvePlan(options)
  if (threadTimes(process.pid, []) === null) return unknownPlatform(resolved)
  const calibration = await startAndCalibrate({ ...resolved, env: {} })
  const moved = moveWork(calibration, resolved.movable)
  const judged: JudgedForm[] = []
  const forms = formsOf(calibration, moved, resolved.cpus)
  for (const [index, form] of forms.entries()) {
    resolved.onPhase(`Trying forms of containers, ${index + 1} of ${forms.length} ...`)
    judged.push(await judgeForm(form, resolved))
  }
  const ranked = rankForms(judged, resolved.p99)
  const result = resultOf(resolved, calibration, ranked)
  if (!resolved.check || calibration.disturbed !== null) return withNotes(result, resolved, moved !== null)
  const checks = await checkRanked(ranked, resolved, { calibration })
  return withNotes({ ...result, checks, complete: !resolved.signal.aborted }, resolved, moved !== null)
}

function resultOf(resolved: ResolvedPlan, calibration: Calibration, ranked: Ranked): PlanResult {
  const { disturbed } = calibration
  const { first, configurations, sentence } = ranked
  const advice =
    disturbed === null
      ? { configuration: first && shapeOf(first), sentence }
      : { configuration: null, sentence: `Cannot tell: ${disturbed}.` }
  return {
    ...baseOf(resolved),
    calibration: calibration.routes.map((route) => calibrationOf(route, calibration)),
    disturbed,
    configurations,
    advice,
  }
}

function baseOf(
  resolved: ResolvedPlan,
): Omit<PlanResult, 'calibration' | 'disturbed' | 'configurations' | 'advice'> {
  const { file, rate, arrivalsText, paths, p99, spare, prices, command } = resolved
  return {
    version: 1,
    date: new Date().toISOString(),
    node: process.version,
    complete: true,
    machine: { cpus: cpuBudget({ env: {} }).cpus, model: hostCpus()[0]?.model ?? 'unknown' },
    file,
    load: { rate, arrivals: arrivalsText, paths: paths.map((each) => ({ ...each })) },
    goal: { p99, spare },
    prices,
    checks: null,
    notes: [],
    command,
  }
}

function calibrationOf(
  { path, demands }: Route,
  { levels, shadow, spread, at }: Calibration,
): PlanCalibration {
  const level = levels.at(-1)!
  const of = (part: 'main' | 'pool' | 'uv' | 'wait') => mean(demands.map((demand) => demand[part]))
  const mainMs = of('main') * level.main
  const threadMs = (of('pool') + of('uv')) * level.rest
  return {
    path,
    cpuMs: mainMs * (1 + shadow) + threadMs,
    mainMs,
    threadMs,
    waitMs: of('wait'),
    spread,
    at,
    samples: demands.length,
  }
}

function shapeOf({ containers, cpus, instances, threads }: PlanShape): PlanShape {
  return { containers, cpus, instances, threads }
}

function withNotes(
  result: PlanResult,
  { notes, movable, check }: ResolvedPlan,
  hasMoved: boolean,
): PlanResult {
  const names = movable?.names.slice(0, 3).join(', ')
  const found = movable ? `doctor found ${names}` : 'nobody has looked whether it can: threadwise doctor does'
  const assumed = hasMoved
    ? [`Rows in which work moves to threads are an assumption (${found}): nothing of that was measured.`]
    : []
  const unchecked = check && result.checks === null ? ['Nothing was checked, as nothing could be told.'] : []
  return { ...result, notes: [...notes, ...assumed, ...unchecked] }
}

function unknownPlatform(resolved: ResolvedPlan): PlanResult {
  const disturbed = 'this platform does not say which thread uses how much CPU time; Linux does, in /proc'
  return {
    ...baseOf(resolved),
    calibration: [],
    disturbed,
    configurations: [],
    advice: { configuration: null, sentence: `Cannot tell: ${disturbed}.` },
  }
}

// A measurement from start to end: scout, plan, comparisons, advice.

import { ThreadwiseError, isThreadwiseError } from '../errors/errors.js'
import { formatCpus, measurableCpus } from '../cpu/cpu-budget.js'
import { checkOwnProgram } from '../primitives/task-modules.js'
import { removeQueues } from '../runtime/bullmq/remove-queues.js'
import { advise } from './advise.js'
import { compareCells } from './compare-cells.js'
import { predict } from './demand-model.js'
import { NOT_MEASURED } from './findings/context.js'
import { fitBudget } from './fit-budget.js'
import { startMachineCheck } from './machine/machine-check.js'
import { machineFacts } from './machine/machine-facts.js'
import { resolveOptions, type MeasureOptions, type ResolvedOptions } from './options.js'
import { planFamilies, type Family } from './plan-cells.js'
import { scoutWorkload, scoutsAsMeasured, workloadSource } from './scout-workload.js'
import { createRandom } from './stats/random.js'
import type { Cell, Course, MeasureResult, NoiseFacts, Scout } from './results/result.js'
import { realOutside, type Outside } from './world/task-world-options.js'

/** What a measurement takes from outside: the real ones, or exact fakes in tests. */
export interface Surroundings extends Outside {
  readonly startMachineCheck: typeof startMachineCheck
}

/**
 * Measures a workload on every executor, size and CPU limit that the options name, and says which one to use.
 *
 * Each cell lives in a process of its own, beside inline; they work in turn, in short windows, until it is decided or the budget is
 * used up. See docs/measuring.md.
 *
 * @param file a workload file, or a task module together with `task`
 * @throws TW_ERR_WORKLOAD_INVALID, TW_ERR_INVALID_OPTION; the reason of `signal` when it is aborted before anything was measured.
 *   A cell that fails does not throw; it is reported as failed.
 * @example
 * const result = await measure(new URL('./render.workload.js', import.meta.url), { cpus: [0.6, 2], quick: true })
 * console.log(result.advice[0].sentence)
 */
export async function measure(file: string | URL, options: MeasureOptions = {}): Promise<MeasureResult> {
  return measureIn({ ...realOutside(), startMachineCheck }, file, options)
}

export async function measureIn(
  surroundings: Surroundings,
  file: string | URL,
  options: MeasureOptions,
): Promise<MeasureResult> {
  checkOwnProgram('measure()')
  const startedMs = surroundings.now()
  const resolved = resolveOptions(options)
  const { signal } = resolved
  const source = workloadSource(file, options)
  const check = await surroundings.startMachineCheck(measurableCpus())
  const workload = await scoutWorkload(String(file), source, resolved, surroundings.startTrial)
  const families = planFamilies({
    ...resolved,
    source,
    scout: workload.scout,
    quick: resolved.settings.quick,
  })
  const budget = resolved.settings.budgetSeconds ?? resolved.secondsForEach * families.length
  const settings = { ...resolved.settings, budgetSeconds: budget }
  const run = { ...resolved, startedMs, budget, scout: workload.scout, surroundings }
  const outcomes = await compareFamilies(families, run).finally(() => removeStored(resolved))
  const courses = outcomes.flatMap(({ course }) => course ?? [])
  const noise = check.finish(courses)
  const cells = outcomes.flatMap((outcome) => outcome.cells).map((cell) => asTold(cell, noise))
  const scout = scoutsAsMeasured(workload.scout, cells)
  const advice = advise({ cells, variants: workload.variants, scout, settings, noise, courses })
  return {
    version: 1,
    date: new Date().toISOString(),
    workload: { ...workload, scout },
    machine: machineFacts(),
    noise,
    settings,
    cells,
    courses,
    skipped: outcomes.flatMap(({ skipped }) => skipped),
    advice,
    predictions: predictAll(cells, scout, advice),
    complete: signal?.aborted !== true && cells.every(({ failed }) => failed !== NOT_MEASURED),
  }
}

/** What trials have left in a store. One that is away keeps it. */
async function removeStored({ store }: ResolvedOptions): Promise<void> {
  if (store) await removeQueues(store.connection, store.prefix).catch(() => {})
}

/** A machine that was too busy tells nothing, whatever the intervals say. */
function asTold(cell: Cell, { verdict }: NoiseFacts): Cell {
  const isBaseline = cell.executor === 'inline' && cell.uv === null
  return verdict === 'unusable' && !isBaseline ? { ...cell, verdict: 'cannot-tell', noGain: false } : cell
}

interface Outcome {
  readonly cells: Cell[]
  readonly course: Course | null
  readonly skipped: MeasureResult['skipped']
}

interface Comparisons extends ResolvedOptions {
  readonly startedMs: number
  readonly budget: number
  readonly scout: Readonly<Record<string, Scout>>
  readonly surroundings: Surroundings
}

/** One after the other; what one of them leaves of its time, the next ones share. */
async function compareFamilies(families: readonly Family[], run: Comparisons): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const unavailable = new Set<number>()
  for (const [index, family] of families.entries()) {
    if (run.signal?.aborted) break
    if (unavailable.has(family.cpus)) continue
    try {
      outcomes.push(await compareFamily(family, { index, count: families.length }, run))
    } catch (error) {
      if (!isThreadwiseError(error) || error.code !== 'TW_ERR_LIMIT_UNAVAILABLE') throw error
      unavailable.add(family.cpus)
      outcomes.push({ cells: [], course: null, skipped: [{ cpus: family.cpus, reason: error.message }] })
    }
  }
  return outcomes
}

async function compareFamily(
  family: Family,
  { index, count }: { index: number; count: number },
  run: Comparisons,
): Promise<Outcome> {
  const { variant, cpus } = family
  const { startedMs, budget, settings, onProgress, signal } = run
  const scout = run.scout[variant]!
  const secondsNow = () => (run.surroundings.now() - startedMs) / 1000
  const began = secondsNow()
  const until = began + Math.max(0, budget - began) / (count - index)
  const { entries, dropped, neededSeconds } = fitBudget(family, scout, until - began)
  if (neededSeconds !== null) throw tooLong(run, family, neededSeconds)
  const step = { variant, cpus, comparison: index + 1, comparisons: count, budgetSeconds: budget }
  const tell = (more: Pick<Parameters<typeof onProgress>[0], 'phase' | 'live' | 'best'>) =>
    onProgress({ ...step, ...more, seconds: secondsNow() })
  const { cells, course } = await compareCells(entries, {
    startedMs,
    until,
    signal,
    random: createRandom(settings.seed + index),
    scoutOf: () => scout,
    rules: { worth: settings.worth, precision: settings.precision, rounds: run.rounds },
    rate: run.rate,
    loopDelayMs: settings.goal.kind === 'responsive' ? settings.goal.loopDelayMs : null,
    onPhase: (phase) => tell({ phase, live: entries.length - 1, best: null }),
    onLook: (live, best) => tell({ phase: 'measuring', live, best }),
    outside: run.surroundings,
  })
  const { why: ended, twin, disturbed, otherCpus, aloneBecause } = course
  const told = {
    variant,
    cpus,
    ended,
    seconds: secondsNow() - began,
    twin,
    disturbed,
    otherCpus,
    aloneBecause,
  }
  return { cells, course: told, skipped: leftOut(family, dropped, scout) }
}

function leftOut({ cpus }: Family, dropped: Family['entries'], scout: Scout): MeasureResult['skipped'] {
  if (dropped.length === 0) return []
  const names = dropped.map(({ cell }) => `${cell.executor} ${cell.size}`).join(', ')
  const reason = `${names} left out: calls of ${seconds(scout.callUs / 1e6)} leave no time for them; a larger --budget has it.`
  return [{ cpus, reason }]
}

function tooLong({ scout, budget }: Comparisons, { variant, cpus }: Family, needed: number): ThreadwiseError {
  const call = seconds(scout[variant]!.callUs / 1e6)
  const reason = `one call of ${variant} takes ${call}; to compare two executors at ${formatCpus(cpus)} takes about ${needed} s, and the budget is ${seconds(budget)}: give it more with --budget`
  return new ThreadwiseError('TW_ERR_WORKLOAD_INVALID', { file: variant, reason })
}

/** Only of variants of which something was told at the largest limit: a bound of what nobody knows is no use. */
function predictAll(
  cells: readonly Cell[],
  scout: Readonly<Record<string, Scout>>,
  advice: MeasureResult['advice'],
): MeasureResult['predictions'] {
  const largest = Math.max(...cells.map(({ cpus }) => cpus))
  const told = advice.filter(({ cpus, isSettled }) => cpus === largest && isSettled)
  return told.flatMap(({ variant }) =>
    predict(
      cells.filter((cell) => cell.variant === variant),
      scout[variant]!,
    ),
  )
}

function seconds(value: number): string {
  return `${Number(value.toPrecision(2))} s`
}

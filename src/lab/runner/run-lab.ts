// Runs an experiment on the engine of measure/: its rows side by side, in windows in turn, each group beside its baseline.

import { measurableCpus } from '../../cpu/cpu-budget.js'
import { isThreadwiseError } from '../../errors/errors.js'
import { compareCells, type ComparedCells } from '../../measure/compare-cells.js'
import { lookAtCells } from '../../measure/look-at-cells.js'
import {
  startMachineCheck,
  type Disturbance,
  type MachineCheck,
} from '../../measure/machine/machine-check.js'
import { machineFacts } from '../../measure/machine/machine-facts.js'
import { createRandom, shuffle, type Random } from '../../measure/stats/random.js'
import type { Progress } from '../../measure/options.js'
import { realOutside, type Outside } from '../../measure/world/task-world-options.js'
import { isFailed, type BurstTrial, type CellPlan, type MemoryTrial } from '../../measure/trial/trial.js'
import type { Cell, Scout } from '../../measure/results/result.js'
import type { ServerProgress } from '../../measure/server/options.js'
import { createPause } from './pause.js'
import { inTemporaryFolder } from './temporary-folder.js'
import type {
  Experiment,
  Findings,
  MeasuredRow,
  OwnResult,
  Parameters,
  Prepared,
  Row,
  Values,
} from './experiment.js'
import type { LabCell, LabResult } from '../../measure/results/lab-result.js'

export interface LabOptions {
  /** How often what is only looked at is looked at; of comparisons, at most so many rounds of windows. */
  readonly rounds: number | undefined
  /** Seconds for all comparisons together. Default: by their number. */
  readonly budget?: number | undefined
  readonly signal: AbortSignal | undefined
  readonly onProgress: (progress: Progress) => void
  /** For experiments that measure servers. */
  readonly onServer?: (progress: ServerProgress) => void
  readonly command: string
  /** Tests bring trials of their own. */
  readonly outside?: Outside
}

/** Of what is only looked at. */
const DEFAULT_ROUNDS = 3
/** Seconds for each row that is compared, and for its share of the baseline. */
const SECONDS_PER_ROW = 12
const MIN_SECONDS = 24
/** An experiment shows how much; it need not be known to the percent. */
const PRECISION = 0.12
const PATIENCE_MS = 40_000
const SEED = 1
/** Of a row that was not measured. */
const ENDED = 'the run was ended before'
/** Of a row whose windows give no ratio and no interval. */
const TOO_FEW = 'too few windows for a ratio'
const NOTHING_FOUND: Findings = { found: [], tables: [], timelines: [] }

export function runLab<P extends Parameters>(
  experiment: Experiment<P>,
  values: Values<P>,
  options: LabOptions,
): Promise<LabResult> {
  const { rounds: asked, budget, signal, onServer = () => {}, command } = options
  const own = experiment.own?.(values, { rounds: asked, budget, signal, onServer })
  if (own) return own.then((found) => ownResult(experiment, found, command))
  return inTemporaryFolder(experiment.name, signal, async (folder) => {
    const check = await startMachineCheck(measurableCpus())
    signal?.throwIfAborted()
    const prepared = (await experiment.prepare?.(values, folder, createPause(signal))) ?? {}
    try {
      const rows = experiment.rows(values, folder)
      const run: Run = {
        outside: realOutside(),
        budget: undefined,
        ...options,
        random: createRandom(SEED),
        check,
      }
      return await measureAndConclude(experiment, { values, rows, prepared, run })
    } finally {
      prepared.cleanUp?.()
    }
  })
}

function ownResult(
  { name, question }: Pick<Experiment, 'name' | 'question'>,
  found: OwnResult,
  command: string,
): LabResult {
  const date = new Date().toISOString()
  return { version: 1, lab: name, question, ...found, cells: [], machine: machineFacts(), command, date }
}

interface Plan<P extends Parameters> {
  readonly values: Values<P>
  readonly rows: Row[]
  readonly prepared: Prepared
  readonly run: Run
}

async function measureAndConclude<P extends Parameters>(
  experiment: Experiment<P>,
  { values, rows, prepared, run }: Plan<P>,
): Promise<LabResult> {
  const burst = experiment.burst?.(values)
  const { measured, complete, seen } = await (experiment.mode === 'cell'
    ? compareRows(rows, experiment.baselineOf, run)
    : lookAtRows(rows, burst, { ...run, rounds: run.rounds ?? experiment.rounds ?? DEFAULT_ROUNDS }))
  const hasFigures = measured.some((row) => row.measured || row.bursts?.length || row.memory?.length)
  if (!hasFigures && !prepared.inspect) run.signal?.throwIfAborted() // there is nothing to tell
  const noise = run.check.finish(seen)
  const told = noise.verdict === 'unusable' ? measured.map(withoutVerdict) : measured
  const conclusion = experiment.conclude(told, values)
  const { found, tables, timelines } = (await prepared.inspect?.()) ?? NOTHING_FOUND
  return {
    version: 1,
    lab: experiment.name,
    question: experiment.question,
    ...conclusion,
    remarks: [...(prepared.found ?? []), ...found, ...conclusion.remarks],
    tables: [...conclusion.tables, ...tables],
    timelines,
    cells: cellsOf(told, rows, experiment.baselineOf),
    machine: machineFacts(),
    noise,
    command: run.command,
    complete,
    date: new Date().toISOString(),
  }
}

/** Of a machine that was too busy. */
function withoutVerdict(row: MeasuredRow): MeasuredRow {
  return row.measured ? { ...row, measured: { ...row.measured, verdict: 'cannot-tell' } } : row
}

/** Rows of bursts and of memory have no cell. */
function cellsOf(measured: readonly MeasuredRow[], rows: Row[], baselineOf: Experiment['baselineOf']) {
  return measured.flatMap(({ label, measured: cell }, index): LabCell[] => {
    const row = rows[index]!
    return cell ? [{ label, baseline: rows.indexOf(baselineOf?.(row, rows) ?? row), ...cell }] : []
  })
}

interface Run {
  readonly outside: Outside
  readonly rounds: number | undefined
  readonly budget: number | undefined
  readonly signal: AbortSignal | undefined
  readonly onProgress: (progress: Progress) => void
  readonly command: string
  readonly random: Random
  readonly check: MachineCheck
}

interface Measured {
  readonly measured: MeasuredRow[]
  readonly complete: boolean
  readonly seen: readonly Disturbance[]
}

/** Rows that are compared, each group beside its baseline. */
async function compareRows(rows: Row[], baselineOf: Experiment['baselineOf'], run: Run): Promise<Measured> {
  const { signal, outside } = run
  const startedMs = outside.now()
  const looks = await lookAtCells(
    rows.map(({ cell }) => cell),
    { ...outside, signal },
  )
  const reasonOf = ({ cell }: Row) => {
    const look = looks.get(cell)!
    return isFailed(look) ? look.failed : undefined
  }
  const possible = rows.filter((row) => reasonOf(row) === undefined)
  const groups = [...groupBy(possible, (row) => baselineOf?.(row, rows) ?? row)]
  const budget = run.budget ?? Math.max(MIN_SECONDS, SECONDS_PER_ROW * rows.length)
  const cells = new Map<Row, MeasuredRow>()
  const seen: Disturbance[] = []
  for (const [index, [baseline, group]] of groups.entries()) {
    if (signal?.aborted) break
    const members = [baseline, ...group.filter((row) => row !== baseline)].filter((row) =>
      possible.includes(row),
    )
    const began = (outside.now() - startedMs) / 1000
    const until = began + (Math.max(0, budget - began) * members.length) / rowsLeft(groups.slice(index))
    const { variant, cpus } = baseline.cell
    const step = { variant, cpus, comparison: index + 1, comparisons: groups.length, budgetSeconds: budget }
    const compared = await compareGroup(members, { startedMs, until, looks, run, step })
    compared.cells.forEach((measured, at) => cells.set(members[at]!, measuredRow(members[at]!, measured)))
    seen.push(compared.course)
  }
  const complete = cells.size === possible.length && signal?.aborted !== true
  const missing = (row: Row) => ({ ...row, failed: reasonOf(row) ?? ENDED })
  return { measured: rows.map((row) => cells.get(row) ?? missing(row)), complete, seen }
}

/** A run that was ended early may not have come to it: then it has no figures that could be told. */
function measuredRow(row: Row, measured: Cell): MeasuredRow {
  if (measured.failed !== null) return { ...row, measured, failed: measured.failed }
  if (Number.isFinite(measured.ratio.value)) return { ...row, measured }
  return { ...row, failed: measured.windows > 0 ? TOO_FEW : ENDED }
}

function groupBy<K, T>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

/** With the baseline of each group. */
function rowsLeft(groups: readonly (readonly [Row, readonly Row[]])[]): number {
  return groups.reduce(
    (total, [baseline, group]) => total + group.length + (group.includes(baseline) ? 0 : 1),
    0,
  )
}

interface Group {
  readonly startedMs: number
  readonly until: number
  readonly looks: Awaited<ReturnType<typeof lookAtCells>>
  readonly run: Run
  readonly step: Omit<Progress, 'phase' | 'seconds' | 'live' | 'best'>
}

function compareGroup(
  members: readonly Row[],
  { startedMs, until, looks, run, step }: Group,
): Promise<ComparedCells> {
  const { signal, random, rounds, outside } = run
  const tell = (more: Pick<Progress, 'phase' | 'live' | 'best'>) =>
    run.onProgress({ ...step, ...more, seconds: (run.outside.now() - startedMs) / 1000 })
  return compareCells(
    members.map(({ cell }, at) => ({ cell, role: at === 0 ? 'baseline' : 'rival' })),
    {
      startedMs,
      until,
      signal,
      random,
      outside,
      loopDelayMs: null,
      rate: null,
      scoutOf: (cell) => looks.get(cell) as Scout,
      // Every row is shown: none leaves since another one is better.
      rules: { precision: PRECISION, rounds: rounds ?? Infinity, isSurvey: true },
      onPhase: (phase) => tell({ phase, live: members.length - 1, best: null }),
      onLook: (live, best) => tell({ phase: 'measuring', live, best }),
    },
  )
}

type Answers = { bursts: BurstTrial[]; memory: MemoryTrial[]; failed?: string }

/** Rows that are only looked at: bursts, and memory. */
async function lookAtRows(
  rows: Row[],
  burst: { calls: number; bursts: number } | undefined,
  run: Run & { rounds: number },
): Promise<Measured> {
  const { rounds, random, signal } = run
  const startedMs = run.outside.now()
  const answers = new Map<Row, Answers>(rows.map((row) => [row, { bursts: [], memory: [] }]))
  let done = 0
  for (let round = 1; round <= rounds; round++) {
    for (const row of shuffle(rows, random)) {
      if (signal?.aborted) break
      await lookAtRow(row.cell, { burst, answers: answers.get(row)!, run })
      done++
      const step = { variant: row.label, cpus: row.cell.cpus, comparison: round, comparisons: rounds }
      const seconds = (run.outside.now() - startedMs) / 1000
      const budgetSeconds = (seconds / done) * rounds * rows.length
      run.onProgress({ ...step, phase: 'measuring', seconds, budgetSeconds, live: rows.length, best: null })
    }
  }
  const complete = done === rounds * rows.length && !signal?.aborted // the last trial may be the one that was interrupted
  return { measured: rows.map((row) => ({ ...row, ...answers.get(row)! })), complete, seen: [] }
}

async function lookAtRow(
  cell: CellPlan,
  {
    burst,
    answers,
    run,
  }: { burst: { calls: number; bursts: number } | undefined; answers: Answers; run: Run },
): Promise<void> {
  const { signal } = run
  try {
    const trial = await run.outside.startTrial({ cpus: cell.cpus, uv: cell.uv, signal })
    const answer = await (
      burst ? trial.ask('burst', { cell, ...burst }, PATIENCE_MS) : trial.ask('memory', { cell }, PATIENCE_MS)
    ).finally(() => trial.kill())
    if (signal?.aborted) return
    if (isFailed(answer)) answers.failed = answer.failed
    else if (answer.kind === 'burst') answers.bursts.push(answer)
    else answers.memory.push(answer)
  } catch (error) {
    if (!isThreadwiseError(error)) throw error
    answers.failed = error.message
  }
}

// Compares cells with one baseline, from their first process to their figures: what a task, a variant and a limit of `measure`, and each
// experiment of the lab, go through.

import { cpuBudget, measurableCpus } from '../cpu/cpu-budget.js'
import { decide, type Decision } from './decision/decide.js'
import { DEFAULT_RULES, type Rules } from './decision/rules.js'
import type { Cell, Scout } from './results/result.js'
import type { Random } from './stats/random.js'
import { loopDelayOf, summarizeCell } from './summarize-cell.js'
import { emptyRecord, type CellRecord } from './world/cell-record.js'
import { createTaskWorld, type TaskWorld } from './world/task-world.js'
import type { Entry, Outside, Phase, TaskCandidate } from './world/task-world-options.js'
import { areTogether } from './world/plan-window.js'
import type { CellPlan } from './trial/trial.js'

export interface CompareCellsOptions {
  /** When the run began, and seconds from then on after which this comparison has ended. */
  readonly startedMs: number
  readonly until: number
  readonly scoutOf: (cell: CellPlan) => Scout
  readonly rules: Partial<Pick<Rules, 'worth' | 'precision' | 'rounds' | 'isSurvey'>>
  /** Milliseconds that the loop may be late, for a candidate to be advised at all; null: that does not matter. */
  readonly loopDelayMs: number | null
  /** Calls per second at which callers' waiting is timed; null: it is not. */
  readonly rate: number | null
  readonly random: Random
  readonly signal: AbortSignal | undefined
  readonly onPhase: (phase: Phase) => void
  readonly onLook: (live: number, best: { cell: CellPlan; ratio: number } | null) => void
  readonly outside: Outside & Partial<ThisMachine>
}

/** What the kernel gives this process; tests put others in its place. */
interface ThisMachine {
  readonly cpus: number
  readonly isWithinQuota: boolean
}

/** How a comparison went, beside its cells. */
export interface CellsCourse extends Pick<
  Decision,
  'why' | 'twin' | 'disturbed' | 'otherCpus' | 'waitedSeconds'
> {
  /** Why each window was a process of its own; null: they lived side by side. */
  readonly aloneBecause: string | null
}

export interface ComparedCells {
  /** In the order of the entries. */
  readonly cells: Cell[]
  readonly course: CellsCourse
}

/** Fewer windows are enough to leave by where a call takes longer than this. */
const LONG_CALL_US = 250_000
const FEWEST_LONG_WINDOWS = 4

/** @throws TW_ERR_LIMIT_UNAVAILABLE when a limit of the cells cannot be made here */
export async function compareCells(
  entries: readonly Entry[],
  options: CompareCellsOptions,
): Promise<ComparedCells> {
  const candidates = entries.map(({ cell, role }, index): TaskCandidate => ({
    name: String(index),
    role,
    cell,
  }))
  const world = worldOf(candidates, options)
  const decision = await decide(candidates, rulesOf(candidates, options, world.records), world)
  const baseline = candidates.find(({ role }) => role === 'baseline')
  const recordOf = ({ cell }: TaskCandidate) => world.records.get(cell) ?? emptyRecord(cell)
  const baselineRecord = baseline && recordOf(baseline)
  const { rate } = options
  const hostCpus = cpuBudget({ env: {} }).host
  const cells = candidates.map((candidate) => {
    const isBaseline = candidate === baseline
    const record = recordOf(candidate)
    return summarizeCell({ candidate, isBaseline, decision, record, baselineRecord, hostCpus, rate })
  })
  const { why, twin, disturbed, otherCpus, waitedSeconds } = decision
  return {
    cells,
    course: { why, twin, disturbed, otherCpus, waitedSeconds, aloneBecause: world.aloneBecause() },
  }
}

function worldOf(candidates: readonly TaskCandidate[], options: CompareCellsOptions): TaskWorld {
  const { outside, onLook, scoutOf } = options
  return createTaskWorld({
    ...options,
    isWithinQuota: cpuBudget({ env: {} }).quota !== null,
    cpus: measurableCpus(),
    ...outside,
    areTogether: candidates.every(({ cell }) => areTogether(scoutOf(cell))),
    onLook: (live, best) =>
      onLook(live, best && { cell: candidates[Number(best.name)]!.cell, ratio: best.ratio }),
  })
}

function rulesOf(
  candidates: readonly TaskCandidate[],
  { rules, until, loopDelayMs, scoutOf, outside }: CompareCellsOptions,
  records: TaskWorld['records'],
): Rules {
  const isLong = candidates.some(({ cell }) => scoutOf(cell).callUs > LONG_CALL_US)
  return {
    ...DEFAULT_RULES,
    ...(isLong && { fewestWindows: FEWEST_LONG_WINDOWS }),
    ...rules,
    until,
    machineCpus: outside.cpus ?? measurableCpus(),
    isEligible: (name) => isCalm(records.get(candidates[Number(name)]!.cell), loopDelayMs),
  }
}

/** Before its profile is known, a candidate counts as calm: nobody is given up unseen. */
function isCalm(record: CellRecord | undefined, loopDelayMs: number | null): boolean {
  if (loopDelayMs === null || record === undefined) return true
  const delay = loopDelayOf(record)
  return delay === null || delay <= loopDelayMs
}

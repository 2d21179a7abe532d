// How long the next trial may take: the planned time, or what is left of the budget, shared among the trials to come.

import type { Scout, Settings } from './results/result.js'
import type { CellPlan, TrialTiming } from './trial/trial.js'

export interface PaceOptions {
  readonly settings: Settings
  readonly warmUpMs: { readonly least: number; readonly most: number }
  readonly scout: Readonly<Record<string, Scout>>
  /** When the run began (performance.now()). */
  readonly started: number
  /** True when the user gave the budget: then it ends the run. Otherwise it only shortens trials. */
  readonly isHard: boolean
  readonly now?: () => number
}

export interface Pace {
  readonly timingOf: (cell: CellPlan, remainingTrials: number) => TrialTiming
  readonly isTimeUp: () => boolean
  /** Measures what a trial costs beside its warm-up and its window: processes to start, executors to close. */
  readonly time: <T>(trial: () => Promise<T>) => Promise<T>
}

/**
 * A window is whole periods of a CPU quota (100 ms wherever nobody chose otherwise), and never one alone: within a period
 * the CPU comes all at once, so part of one would measure where in it the window happened to begin.
 */
const PERIOD_MS = 100

/** A window should hold this many calls, if they are long; a longer window than the last is never worth it. */
const CALLS_PER_WINDOW = 8
const LONGEST_WINDOW_MS = 5000

/** Below this a trial measures its own noise. */
const SHORTEST = { warmUpMs: 40, measureMs: 2 * PERIOD_MS }

/** What a trial costs beside its window, until one was seen. */
const FIRST_OVERHEAD_MS = 350
const WEIGHT = 0.2

export function createPace(options: PaceOptions): Pace {
  const { settings, warmUpMs, scout, started, isHard, now = () => performance.now() } = options
  const budgetMs = settings.budgetSeconds === null ? Infinity : settings.budgetSeconds * 1000
  let overheadMs = FIRST_OVERHEAD_MS
  let plannedMs = 0

  return {
    timingOf(cell, remainingTrials) {
      const callMs = scout[cell.variant]!.callUs / 1000 / Math.min(1, cell.cpus)
      const wanted = wholePeriods(
        Math.max(settings.trialMs, Math.min(CALLS_PER_WINDOW * callMs, LONGEST_WINDOW_MS)),
      )
      const available = (budgetMs - (now() - started)) / Math.max(1, remainingTrials) - overheadMs
      const share = Math.min(1, Math.max(0, available / (wanted + warmUpMs.most)))
      const measureMs = Math.max(SHORTEST.measureMs, wholePeriods(wanted * share))
      const most = Math.max(SHORTEST.warmUpMs, warmUpMs.most * share)
      plannedMs = measureMs + most
      return { measureMs, warmUpMs: { least: Math.min(most, warmUpMs.least), most } }
    },
    isTimeUp: () => isHard && now() - started > budgetMs,
    async time(trial) {
      const before = now()
      const result = await trial()
      const overhead = Math.max(0, now() - before - plannedMs)
      overheadMs += WEIGHT * (overhead - overheadMs)
      return result
    },
  }
}

function wholePeriods(ms: number): number {
  return Math.round(ms / PERIOD_MS) * PERIOD_MS
}

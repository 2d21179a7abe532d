// Runs the rounds: every live cell once, in random order, and again. Measures nothing itself.

import { isThreadwiseError } from '../errors/errors.js'
import { shuffle, type Random } from './stats/random.js'
import type { CellPlan, CellTrial, Enforcement, FailedTrial, RunTrial, TrialTiming } from './trial/trial.js'

/** What the rounds showed of one cell. */
export interface CellRecord {
  readonly cell: CellPlan
  /** By round; undefined where the cell was no longer measured, or not yet. */
  readonly trials: (CellTrial | FailedTrial | undefined)[]
  enforcement: Enforcement | undefined
  /** Why this cell cannot be measured at all: its CPU limit is not available here. */
  unavailable: string | undefined
}

/** How far a measurement is. */
export interface Progress {
  readonly round: number
  readonly rounds: number
  readonly done: number
  readonly total: number
  readonly cell: CellPlan
  /** Calls per second; null when the trial failed, absent where a trial measures something else. */
  readonly throughput?: number | null
}

export interface RoundsOptions {
  readonly cells: readonly CellPlan[]
  readonly rounds: number
  /** The timing of the next trial of this cell. */
  readonly timingOf: (cell: CellPlan, remainingTrials: number) => TrialTiming
  readonly runTrial: RunTrial
  readonly random: Random
  readonly signal: AbortSignal | undefined
  /** True when measuring this cell further cannot change anything. Asked before each round. */
  readonly isDecided: (record: CellRecord, records: readonly CellRecord[]) => boolean
  readonly beforeRound: () => void
  readonly onProgress: (progress: Progress) => void
  /** True once no further round should start, since the time is up. */
  readonly isTimeUp: () => boolean
}

/** A cell that fails in this many trials, without one success, will not succeed. */
const HOPELESS_AFTER = 2

export async function runRounds(
  options: RoundsOptions,
): Promise<{ records: CellRecord[]; complete: boolean }> {
  const { cells, rounds, signal } = options
  const records = cells.map((cell): CellRecord => ({
    cell,
    trials: [],
    enforcement: undefined,
    unavailable: undefined,
  }))
  let done = 0
  for (let round = 0; round < rounds; round++) {
    if (signal?.aborted || options.isTimeUp()) return { records, complete: false }
    options.beforeRound()
    const live = records.filter((record) => !isHopeless(record) && !options.isDecided(record, records))
    const order = shuffle(live, options.random)
    for (const [place, record] of order.entries()) {
      if (signal?.aborted || options.isTimeUp()) return { records, complete: false }
      const total = done + (order.length - place) + (rounds - round - 1) * live.length
      await runOne(record, round, total - done, options)
      done++
      if (record.unavailable !== undefined) continue
      const throughput = throughputOf(record.trials[round])
      options.onProgress({ round: round + 1, rounds, done, total, cell: record.cell, throughput })
    }
  }
  return { records, complete: !signal?.aborted } // the last trial may be the one that was interrupted
}

/** Calls that gave a result, per second; null for a failed or missing trial. */
export function throughputOf(trial: CellTrial | FailedTrial | undefined): number | null {
  if (trial?.kind !== 'cell' || trial.completed === 0) return null
  return (trial.callsPerSecond * trial.completed) / (trial.completed + trial.failed)
}

async function runOne(
  record: CellRecord,
  round: number,
  remaining: number,
  options: RoundsOptions,
): Promise<void> {
  const { cell } = record
  const { cpus, uv } = cell
  const timing = options.timingOf(cell, remaining)
  try {
    const { answer, enforcement } = await options.runTrial(
      { kind: 'cell', cell, timing },
      { cpus, uv, signal: options.signal },
    )
    record.enforcement = enforcement
    if (options.signal?.aborted && answer.kind === 'failed') return // an interrupted trial says nothing about the cell
    record.trials[round] = answer as CellTrial | FailedTrial
  } catch (error) {
    if (!isThreadwiseError(error) || error.code !== 'TW_ERR_LIMIT_UNAVAILABLE') throw error
    record.unavailable = error.message
  }
}

function isHopeless({ trials, unavailable }: CellRecord): boolean {
  if (unavailable !== undefined) return true
  const ran = trials.filter((trial) => trial !== undefined)
  return ran.length >= HOPELESS_AFTER && ran.every((trial) => throughputOf(trial) === null)
}

// How long callers wait at a given rate: each cell in turn, before the windows, with its limit.

import { isFailed } from '../trial/trial.js'
import { isLong, leftMs, patienceFor, type Setting, type Trial } from './task-trial.js'

/** Of each cell; all cells together take at most this share of the time that is left. */
const DUE = { ms: 2000, share: 0.3 }

/** Calls that are due this much faster than the cell can make them only pile up, and would be in the way of what follows. */
const HOPELESS = 1.5

export async function timeDueCalls(setting: Setting, trials: readonly Trial[]): Promise<void> {
  const { rate, signal } = setting
  if (rate === null) return
  // The twin of the baseline is not another cell, and has no profile.
  const cells = trials.filter(
    ({ record }, index) => trials.findIndex((other) => other.record === record) === index,
  )
  const ms = Math.min(DUE.ms, (DUE.share * leftMs(setting)) / cells.length)
  for (const trial of cells) {
    if (signal?.aborted || leftMs(setting) === 0) return
    if (trial.record.dueTimes.length > 0 || isLong(trial.scout) || rate > HOPELESS * throughputOf(trial))
      continue
    const answer = await trial.process.ask('due', { rate, ms }, patienceFor(setting, 3 * ms))
    if (!isFailed(answer)) trial.record.dueTimes.push(answer.latency)
  }
}

/** As its profile showed it. */
function throughputOf({ usage }: Trial): number {
  return usage === null || usage.seconds === 0 ? Infinity : usage.calls / usage.seconds
}

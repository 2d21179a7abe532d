// What the pairs of windows of two versions say about their ratio, when both have several processes.

import { combineBoth } from '../stats/random-effects.js'
import { logRatio, type LogRatio, type Pair } from '../stats/ratio-estimator.js'
import { dropWarmUp } from '../stats/warm-up-end.js'
import type { Which } from './pair-windows.js'
import { isQuiet, type Estimate } from './estimate.js'
import type { Duel } from './rules.js'
import type { Window } from './world.js'

/** Fewer undisturbed pairs of each process than this, and the disturbed ones count too: then the machine is never quiet. */
const MIN_QUIET = 8

interface Meeting extends Pair {
  readonly own: number
  readonly other: number
  readonly isQuiet: boolean
}

/**
 * Null while there are too few windows. Each pair counts twice: in the series of its process of the version, and in that of its process
 * of the baseline. The ratio is that of the first, and both say how much processes of one version differ.
 */
export function estimateDuel(
  windows: readonly Window[],
  candidate: string,
  isBase: Which,
  { spread, alpha }: Pick<Duel, 'spread' | 'alpha'>,
): Estimate | null {
  const all = meetings(windows, candidate, isBase)
  const quiet = all.filter((meeting) => meeting.isQuiet)
  const count = new Set(all.map(({ own }) => own)).size
  const used = quiet.length >= MIN_QUIET * count ? quiet : all
  const own = seriesOf(used, ({ own }) => own)
  const others = seriesOf(used, ({ other }) => other)
  const combined = combineBoth(own, others, { scale: spread, tail: alpha / 4 })
  return combined && { mean: combined.mean, sd: combined.sd, pairs: used.length, processes: own.length }
}

function meetings(windows: readonly Window[], candidate: string, isBase: Which): Meeting[] {
  const bases = new Map(windows.filter(isBase).map((window) => [window.pair, window]))
  return windows.flatMap((window) => {
    const base = window.candidate === candidate ? bases.get(window.pair) : undefined
    if (base === undefined || window.pair === undefined) return []
    const { rate, process } = window
    return [
      { rate, base: base.rate, own: process, other: base.process, isQuiet: isQuiet(window) && isQuiet(base) },
    ]
  })
}

function seriesOf(all: readonly Meeting[], processOf: (meeting: Meeting) => number): LogRatio[] {
  const processes = [...new Set(all.map(processOf))]
  return processes.flatMap(
    (process) => logRatio(dropWarmUp(all.filter((meeting) => processOf(meeting) === process))) ?? [],
  )
}

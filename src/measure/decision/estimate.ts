// What the windows of a candidate say about its ratio to the baseline.

import { combine } from '../stats/random-effects.js'
import { logRatio, type LogRatio } from '../stats/ratio-estimator.js'
import { dropWarmUp } from '../stats/warm-up-end.js'
import { pairWindows, type Which } from './pair-windows.js'
import { OTHER_CPUS } from './rules.js'
import type { Window } from './world.js'

/** Fewer undisturbed pairs than this, and the disturbed ones count too: then the machine is never quiet. */
const MIN_QUIET = 8

export interface Estimate {
  /** Of the logarithm of the ratio. */
  readonly mean: number
  readonly sd: number
  readonly pairs: number
  readonly processes: number
}

/** Null while there are too few windows. */
export function estimate(windows: readonly Window[], candidate: string, isBase: Which): Estimate | null {
  const baselines = new Set(windows.filter(isBase).map(({ process }) => process)).size
  const processes = new Set(
    windows.filter((window) => window.candidate === candidate).map(({ process }) => process),
  )
  const series = [...processes].flatMap((process) => ofProcess(windows, process, isBase) ?? [])
  const combined = combine(series)
  if (combined === null) return null
  const { mean, sd, tau } = combined
  return {
    mean,
    sd: Math.hypot(sd, tau / Math.sqrt(Math.max(1, baselines))), // the processes of the baseline differ, too
    pairs: series.reduce((count, { pairs }) => count + pairs, 0),
    processes: series.length,
  }
}

export function isQuiet({ otherCpus }: Window): boolean {
  return otherCpus === null || otherCpus < OTHER_CPUS
}

function ofProcess(
  windows: readonly Window[],
  process: number,
  isBase: Which,
): (LogRatio & { pairs: number }) | null {
  const isOwn: Which = (window) => window.process === process
  const quiet = pairWindows(windows, { isOwn, isBase, isUsable: isQuiet })
  const isEnough = quiet.length >= MIN_QUIET
  const pairs = dropWarmUp(isEnough ? quiet : pairWindows(windows, { isOwn, isBase, isUsable: () => true }))
  const ratio = logRatio(pairs)
  return ratio && { ...ratio, pairs: pairs.length }
}

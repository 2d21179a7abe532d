// Cuts off what is left of a warm-up at the head of a series.

import type { Pair } from './ratio-estimator.js'
import { mean, sum } from './summary.js'

const BATCH = 5
const MIN_BATCHES = 4

/** The head must differ from the tail by this many standard errors: of a steady series every part is as good as the others. */
const DIFFERENT = 2

/**
 * The pairs from where the series is steady, at least half of them: MSER-5 (White, Simulation 69, 1997; Hoad, Robinson and Davies,
 * WSC 2008) over batches of five pairs, and nothing is cut that does not differ.
 */
export function dropWarmUp(pairs: readonly Pair[]): readonly Pair[] {
  const count = Math.floor(pairs.length / BATCH)
  if (count < MIN_BATCHES) return pairs
  const batches = Array.from({ length: count }, (_, i) => logOfBatch(pairs.slice(i * BATCH, (i + 1) * BATCH)))
  const cut = steadiestCut(batches)
  return cut > 0 && differ(batches.slice(0, cut), batches.slice(cut)) ? pairs.slice(cut * BATCH) : pairs
}

function logOfBatch(batch: readonly Pair[]): number {
  return Math.log(mean(batch.map(({ rate }) => rate)) / mean(batch.map(({ base }) => base)))
}

/** How many batches to cut so that the standard error of the rest is smallest. */
function steadiestCut(batches: readonly number[]): number {
  const errors = Array.from({ length: Math.floor(batches.length / 2) + 1 }, (_, cut) => {
    const rest = batches.slice(cut)
    return squares(rest) / rest.length ** 2
  })
  return errors.indexOf(Math.min(...errors))
}

function differ(head: readonly number[], tail: readonly number[]): boolean {
  const variance = squares(tail) / (tail.length - 1)
  const error = Math.sqrt(variance * (1 / head.length + 1 / tail.length))
  return Math.abs(mean(head) - mean(tail)) > DIFFERENT * error
}

function squares(values: readonly number[]): number {
  const centre = mean(values)
  return sum(values.map((value) => (value - centre) ** 2))
}

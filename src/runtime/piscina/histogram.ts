// How long calls wait and run, in the form in which piscina tells it. Times are in milliseconds, kept in microseconds.

import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'

const PERCENTILES = {
  p0_001: 0.001,
  p0_01: 0.01,
  p0_1: 0.1,
  p1: 1,
  p2_5: 2.5,
  p10: 10,
  p25: 25,
  p50: 50,
  p75: 75,
  p90: 90,
  p97_5: 97.5,
  p99: 99,
  p99_9: 99.9,
  p99_99: 99.99,
  p99_999: 99.999,
} as const

/** Times of calls, in milliseconds. */
export type PiscinaHistogramSummary = Record<
  'average' | 'mean' | 'stddev' | 'min' | 'max' | keyof typeof PERCENTILES,
  number
>

/** How long calls have run and waited. */
export interface PiscinaHistogram {
  /** Undefined with `recordTiming: false`, as is `waitTime`. */
  readonly runTime: PiscinaHistogramSummary
  /** From the call to its start. */
  readonly waitTime: PiscinaHistogramSummary
  /** Begins anew. */
  resetRunTime(): void
  /** Begins anew. */
  resetWaitTime(): void
}

export class CallTimes {
  readonly wait = createHistogram()
  readonly run = createHistogram()
}

export function record(histogram: RecordableHistogram, ms: number): void {
  histogram.record(Math.max(1, Math.trunc(ms * 1000)))
}

export function summarize(histogram: RecordableHistogram): PiscinaHistogramSummary {
  const { mean, stddev, min, max } = histogram
  const percentiles = Object.entries(PERCENTILES).map(
    ([name, percent]) => [name, histogram.percentile(percent)] as const,
  )
  const all = [...Object.entries({ average: mean, mean, stddev, min, max }), ...percentiles]
  return Object.fromEntries(all.map(([name, us]) => [name, us / 1000])) as PiscinaHistogramSummary
}

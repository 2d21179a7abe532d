// Phrases that the experiments share.

import { measurableCpus } from '../../cpu/cpu-budget.js'
import type { MeasuredRow } from './experiment.js'

/** The largest CPU limit that can be measured here. */
export function allCpus(): number {
  return measurableCpus()
}

export function nameLimit(cpus: number): string {
  return `${cpus} CPU${cpus <= 1 ? '' : 's'}`
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** "3.4 times" */
export function formatTimes(ratio: number): string {
  return `${ratio.toFixed(ratio < 10 ? 2 : 0)} times`
}

/** The table of experiments that compare rows with one baseline: throughput, ratio, interval, verdict, loop delay. */
export function comparisonColumns(rate: string, baseline: string): string[] {
  return ['way', rate, `times ${baseline}`, '95 % interval', 'verdict', 'loop delay p99, ms']
}

export function comparisonRow(row: MeasuredRow, baseline: MeasuredRow | undefined) {
  const { label, measured, failed } = row
  if (!measured || failed !== undefined) return [label, null, null, failed ?? 'not measured', null, null]
  const { throughput, ratio, verdict, loopDelay } = measured
  const isBaseline = row === baseline
  const rate = throughput.median
  return [
    label,
    Number(rate.toFixed(rate < 100 ? 1 : 0)),
    Number(ratio.value.toFixed(2)),
    isBaseline ? '' : `${ratio.low.toFixed(2)} to ${ratio.high.toFixed(2)}`,
    isBaseline ? '' : verdict.replace('-', ' '),
    loopDelay.p99 === null ? null : Number(loopDelay.p99.toFixed(1)),
  ]
}

/**
 * What may be said when every call has compared its result with the expected one: the sentence, unless a row was not measured or
 * one of its calls failed, which a difference makes it.
 */
export function sameResults(rows: readonly MeasuredRow[], sentence: string): string[] {
  const isSame = ({ measured, failed }: MeasuredRow) => failed === undefined && measured?.errorRate === 0
  return rows.every(isSame) ? [sentence] : []
}

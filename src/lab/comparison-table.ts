// The table of experiments that compare rows with one baseline: throughput, ratio, interval, verdict, loop delay.

import type { MeasuredRow } from './experiment.js'

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

// The figures of a comparison as rows of text, for the terminal, the page and the summary of a step.

import type { CompareMetric, CompareResult, Comparison } from '../../results/compare-result.js'
import {
  formatBytes,
  formatCpuLimit,
  formatMs,
  formatRange,
  formatRate,
  type Figure,
} from './format-number.js'

export const compareHeads = ['workload', 'version', 'what', 'old', 'new', 'new / old', 'interval', 'verdict']

const WHAT: Record<CompareMetric, string> = {
  time: 'time per call',
  cpu: 'CPU per call',
  allocated: 'allocated per call',
  memory: 'memory held',
  throughput: 'requests/s',
  latency: 'latency p99',
}

export function comparisonTable({ comparisons }: Pick<CompareResult, 'comparisons'>): string[][] {
  return comparisons.map((comparison) => {
    const { workload, name, metric, ratio, verdict } = comparison
    const figures = [amountOf(comparison, comparison.old), amountOf(comparison, comparison.new)]
    return [
      workload,
      name,
      WHAT[metric],
      ...figures,
      exact(ratio.value),
      formatRange(ratio.low, ratio.high, exact),
      verdict,
    ]
  })
}

function amountOf({ metric }: Comparison, value: Figure): string {
  if (metric === 'allocated' || metric === 'memory') return formatBytes(value)
  return metric === 'throughput' ? formatRate(value) : formatMs(value && value / 1000)
}

/** Small differences are what it is about. */
function exact(value: Figure): string {
  return typeof value === 'number' ? value.toFixed(Math.abs(value - 1) < 0.1 ? 3 : 2) : '-'
}

/** Where calls ran; null: they were made directly, without a limit. */
export function placeLine({ settings }: Pick<CompareResult, 'settings'>): string | null {
  const { executor, size, cpus } = settings
  const limit = cpus === null ? '' : ` under ${formatCpuLimit(cpus)}`
  const workers = { threads: 'thread', processes: 'process', concurrent: 'open call', inline: '' }[executor]
  const many = `${workers}${size === 1 ? '' : workers.endsWith('s') ? 'es' : 's'}`
  if (executor === 'inline') return cpus === null ? null : `Each process of a version ran${limit}.`
  return `Calls ran on ${size} ${many}${limit}.`
}

/** What is said of results, a line each. */
export function resultLines({ results }: Pick<CompareResult, 'results'>): string[] {
  const { equal, differing, unsteady, examples } = results
  const told = [
    ...(differing > 0 ? [`${differing} differ`] : []),
    ...(equal > 0 ? [`${equal} equal`] : []),
    ...(unsteady > 0 ? [`${unsteady} not comparable: another result each time`] : []),
  ]
  return [
    `Results for the same inputs: ${told.join(', ') || 'none was compared'}.`,
    ...examples.flatMap(({ workload, name, input, old, new: now }) => [
      `${workload}, input ${input + 1}: ${old}`,
      `${name} gives: ${now}`,
    ]),
  ]
}

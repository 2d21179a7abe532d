// The answer of a comparison in a sentence or a few: first whether the results are the same.

import type { CompareResult, Comparison } from '../results/compare-result.js'

type Told = Pick<
  CompareResult,
  'versions' | 'comparisons' | 'results' | 'noise' | 'resolvable' | 'settings' | 'skipped'
> & {
  readonly seconds: number
}

export function compareSentence(told: Told): string {
  const { comparisons, noise, skipped } = told
  const times = comparisons.filter(({ metric }) => metric === 'time' || metric === 'throughput')
  const counted = comparisons.filter(({ metric }) => metric === 'allocated' || metric === 'memory')
  const parts = [
    ...differing(told),
    ...(noise.verdict === 'unusable' ? ['This machine was too busy for a verdict on time.'] : []),
    ...times.map((each) => timeSentence(each, told, times.length > 1)),
    ...counted
      .filter(({ verdict }) => verdict === 'slower' || verdict === 'faster')
      .map((each) => countedSentence(each, told)),
    ...skipped.map(({ workload, reason }) => `${workload} could not be compared: ${reason}.`),
  ]
  return parts.join(' ')
}

function differing({ results, versions }: Told): string[] {
  const { differing: count, equal, unsteady, examples } = results
  if (count > 0) {
    const { workload, name, input } = examples[0]!
    const all = count + equal
    return [
      `${name} gives other results than ${versions[0]!.name} for ${count} of ${all} inputs (the first: input ${input + 1} of ${workload}); a faster wrong answer is not faster.`,
    ]
  }
  return equal === 0 && unsteady > 0
    ? ['The results differ from one call to the next, so they could not be compared.']
    : []
}

function timeSentence(comparison: Comparison, told: Told, isOneOfMany: boolean): string {
  const { name, verdict, ratio, workload, metric } = comparison
  const old = told.versions[0]!.name
  const where = isOneOfMany ? `${workload}: ` : ''
  const range = `${times(ratio.value)} of the time (${times(ratio.low)} to ${times(ratio.high)})`
  const share =
    metric === 'throughput'
      ? `${times(ratio.value)} of the requests (${times(ratio.low)} to ${times(ratio.high)})`
      : range
  const what = metric === 'throughput' ? 'it answers' : 'it takes'
  const reach = Math.max(ratio.high - 1, 1 - ratio.low)
  if (verdict === 'same')
    return `${where}${name} is the same as ${old} within ${percent(reach)}: ${what} ${share}.`
  if (verdict !== 'cannot-tell')
    return `${where}${name} is ${verdict} than ${old} by ${percent(changeOf(comparison))}: ${what} ${share}.`
  const hint = `differences below ${percent(Math.sqrt(ratio.high / ratio.low) - 1)} cannot be told in ${Math.round(told.seconds)} s`
  return `${where}It cannot be told whether ${name} is slower than ${old}: ${what} ${share}; ${hint}.`
}

/** How much slower, or faster, as a share of the old time. */
function changeOf({ ratio, metric }: Comparison): number {
  return Math.abs((metric === 'throughput' ? 1 / ratio.value : ratio.value) - 1)
}

function countedSentence({ name, metric, ratio, workload }: Comparison, { versions }: Told): string {
  const more = ratio.value > 1 ? 'more' : 'less'
  const what =
    metric === 'allocated'
      ? `allocates ${percent(Math.abs(ratio.value - 1))} ${more} per call`
      : `holds ${percent(Math.abs(ratio.value - 1))} ${more} memory`
  return `${workload}: ${name} ${what} than ${versions[0]!.name}.`
}

function times(value: number): string {
  return `${value.toFixed(Math.abs(value - 1) < 0.1 ? 3 : 2)}x`
}

function percent(share: number): string {
  const value = 100 * share
  return `${value < 10 ? Number(value.toPrecision(2)) : Math.round(value)} %`
}

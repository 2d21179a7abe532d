// What a build expects of a comparison, and what of it is missed for sure.

import { checkOption } from '../../errors/check-options.js'
import type { Interval } from '../results/result.js'
import type { CompareMetric, CompareResult, Comparison } from '../results/compare-result.js'

/** `slower<5%`: the new version may be slower by so much. `allocated<10%`, `memory<10%`, ...: it may need so much more. */
export interface CompareExpectation {
  readonly text: string
  readonly metric: CompareMetric
  /** As a share. */
  readonly most: number
}

/** What is not as expected, a sentence each; and what cannot be told, which is no miss unless somebody is strict. */
export interface Missed {
  readonly missed: readonly string[]
  readonly untold: readonly string[]
}

const METRICS: Readonly<Record<string, CompareMetric>> = {
  slower: 'time',
  time: 'time',
  cpu: 'cpu',
  allocated: 'allocated',
  memory: 'memory',
  throughput: 'throughput',
  latency: 'latency',
}

/** @throws TW_ERR_INVALID_OPTION */
export function parseCompareExpectation(text: string): CompareExpectation {
  const [, word, number] = /^([a-z]+)<(\d+(?:\.\d+)?)%$/.exec(text.replaceAll(' ', '')) ?? []
  const metric = word === undefined ? undefined : METRICS[word]
  const most = Number(number) / 100
  const isValid = metric !== undefined && most >= 0.005 && most <= 1
  checkOption(
    isValid,
    'expect',
    `'slower<5%', or cpu, allocated, memory, throughput or latency in place of slower, from 0.5% to 100%`,
    text,
  )
  return { text, metric: metric!, most }
}

export function checkExpectations(
  { comparisons, skipped, results }: Pick<CompareResult, 'comparisons' | 'skipped' | 'results'>,
  expected: readonly CompareExpectation[],
): Missed {
  const missed: string[] = []
  const untold = skipped.map(({ workload, reason }) => `${workload} could not be compared: ${reason}.`)
  if (expected.length > 0 && results.differing > 0)
    untold.push(`The versions give other results for ${results.differing} inputs: their times say little.`)
  for (const { text, metric, most } of expected) {
    const asked = comparisons.filter((each) => isAsked(each, metric))
    if (asked.length === 0 && skipped.length === 0) untold.push(`${text}: nothing of that was measured.`)
    for (const comparison of asked) {
      const { low, high } = costOf(comparison)
      const where = `${comparison.workload}, ${comparison.name}: ${range(comparison)}, and ${text} is expected`
      if (low > 1 + most) missed.push(`${where}.`)
      else if (high > 1 + most) untold.push(`${where}: it cannot be told.`)
    }
  }
  return { missed, untold }
}

/** A server is slower when it answers fewer requests. */
export function isAsked(each: Pick<Comparison, 'metric'>, metric: CompareMetric): boolean {
  return each.metric === metric || (metric === 'time' && each.metric === 'throughput')
}

/** What more of is worse, of any metric. */
export function costOf({
  metric,
  ratio: { value, low, high },
}: Pick<Comparison, 'metric' | 'ratio'>): Interval {
  return metric === 'throughput' ? { value: 1 / value, low: 1 / high, high: 1 / low } : { value, low, high }
}

function range({ metric, ratio: { value, low, high } }: Comparison): string {
  return `${metric} ${value.toFixed(3)}x (${low.toFixed(3)} to ${high.toFixed(3)})`
}

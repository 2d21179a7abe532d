// From what was found to the result that is written, for functions and servers alike.

import { machineFacts } from '../machine/machine-facts.js'
import type { CompareResult, Comparison, ComparedResults } from '../results/compare-result.js'
import type { ResolvedCompareOptions } from './options.js'
import { compareSentence } from './sentence.js'
import type { Version } from './version.js'

/** The accepted chance of a false alarm in any comparison of a run. */
export const FALSE_ALARM = 0.01

export interface Told extends Pick<
  CompareResult,
  'comparisons' | 'results' | 'noise' | 'warmUps' | 'skipped'
> {
  readonly versions: readonly Version[]
  readonly budgetSeconds: number
  /** That the run took. */
  readonly seconds: number
}

export function asResult(
  told: Told,
  { tolerance, seed, command, signal, place, cpus }: ResolvedCompareOptions,
): CompareResult {
  const { comparisons: all, results, noise, warmUps, skipped, budgetSeconds, seconds } = told
  const { executor, size } = place ?? { executor: 'inline' as const, size: 1 }
  const comparisons = noise.verdict === 'unusable' ? all.map(withoutTime) : all
  const kept = {
    versions: told.versions.map(({ name, kind, ref }) => ({ name, kind, ref })),
    comparisons,
    results,
    warmUps,
    skipped,
    resolvable: resolvableOf(comparisons),
    noise,
    settings: { budgetSeconds, tolerance, seed, command, executor, size, cpus },
  }
  return {
    version: 1,
    date: new Date().toISOString(),
    ...kept,
    machine: machineFacts(),
    sentence: compareSentence({ ...kept, seconds }),
    complete: signal?.aborted !== true,
  }
}

/** A machine that was too busy tells no time. What is counted stays. */
function withoutTime(comparison: Comparison): Comparison {
  const isCounted = comparison.metric === 'allocated' || comparison.metric === 'memory'
  return isCounted ? comparison : { ...comparison, verdict: 'cannot-tell' }
}

/** A faster wrong answer is not faster. */
export function unlessWrong(comparisons: Comparison[], { differing }: ComparedResults): Comparison[] {
  const isWrong = (each: Comparison) => differing > 0 && each.verdict === 'faster'
  return comparisons.map((each) => (isWrong(each) ? { ...each, verdict: 'cannot-tell' } : each))
}

function resolvableOf(comparisons: readonly Comparison[]): number | null {
  const times = comparisons.filter(({ metric }) => metric === 'time' || metric === 'throughput')
  return times.length === 0
    ? null
    : Math.max(...times.map(({ ratio: { low, high } }) => Math.sqrt(high / low) - 1))
}

// Whether versions give the same results for the same inputs: looked at before anything is timed.

import { inspect, isDeepStrictEqual } from 'node:util'
import type { ComparedResults } from '../results/compare-result.js'
import type { VersionResult } from '../trial/trial.js'

/** Of a result in a report. */
const SHOWN = 160
const EXAMPLES = 5

interface Gave {
  readonly name: string
  readonly results: readonly VersionResult[]
}

/** Only of inputs that all versions were given. */
export function compareResults(workload: string, [old, ...others]: readonly Gave[]): ComparedResults {
  const count = Math.min(...[old!, ...others].map(({ results }) => results.length))
  const seen: ComparedResults = { equal: 0, differing: 0, unsteady: 0, examples: [] }
  for (let input = 0; input < count; input++) {
    const before = old!.results[input]!
    const all = [before, ...others.map(({ results }) => results[input]!)]
    if (all.some(({ isSteady }) => !isSteady)) {
      seen.unsteady++
      continue
    }
    const differing = others.filter(({ results }) => !isSame(before, results[input]!))
    if (differing.length === 0) seen.equal++
    else seen.differing++
    for (const { name, results } of differing)
      if (seen.examples.length < EXAMPLES)
        seen.examples.push({ workload, name, input, old: shown(before), new: shown(results[input]!) })
  }
  return seen
}

export function addResults(a: ComparedResults, b: ComparedResults): ComparedResults {
  return {
    equal: a.equal + b.equal,
    differing: a.differing + b.differing,
    unsteady: a.unsteady + b.unsteady,
    examples: [...a.examples, ...b.examples].slice(0, EXAMPLES),
  }
}

function isSame(a: VersionResult, b: VersionResult): boolean {
  return isDeepStrictEqual(a, b)
}

function shown({ value, text, error }: VersionResult): string {
  const whole =
    error !== undefined ? `throws ${error}` : (text ?? inspect(value, { depth: 4, breakLength: Infinity }))
  return whole.length > SHOWN ? `${whole.slice(0, SHOWN)} ...` : whole
}

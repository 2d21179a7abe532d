// Whether the result of a load is what somebody expects: for builds that a load may fail.

import { checkOption } from '../../errors/check-options.js'
import type { LoadResult } from '../results/load-result.js'

const FIGURES = ['p50', 'p90', 'p99', 'p999', 'max', 'errors', 'throughput'] as const
type Figure = (typeof FIGURES)[number]

/** `p99<50` (milliseconds), `errors<1%` (or a number), `throughput>=500` (answers per second). */
export interface LoadExpectation {
  readonly text: string
  readonly figure: Figure
  readonly operator: '<' | '<=' | '>' | '>='
  readonly value: number
  /** Of all requests that were due. */
  readonly isShare: boolean
}

/** Without any expectation: with more failures than this share the run has failed. */
const MAX_FAILED = 0.05

/** @throws TW_ERR_INVALID_OPTION */
export function parseLoadExpectation(text: string): LoadExpectation {
  const match = /^\s*(\w+(?:\.9)?)\s*(>=|<=|>|<)\s*(\d+(?:\.\d+)?)\s*(%|ms|s|\/s)?\s*$/.exec(text)
  const [, name = '', operator = '', number = '', unit = ''] = match ?? []
  const figure = name.replace('.', '') as Figure
  const isErrors = figure === 'errors'
  const mayHave = isErrors ? ['', '%'] : figure === 'throughput' ? ['', '/s'] : ['', 'ms', 's']
  const isValid = match !== null && FIGURES.includes(figure) && mayHave.includes(unit)
  checkOption(
    isValid,
    'expect',
    `a figure (${FIGURES.join(', ')}) and its bound, such as 'p99<50' or 'errors<1%'`,
    text,
  )
  const factor = unit === 's' ? 1000 : unit === '%' ? 0.01 : 1
  return { text, figure, operator: operator as '<', value: Number(number) * factor, isShare: unit === '%' }
}

/** What is not as expected, a sentence each. Without expectations: that more than 5 % failed. */
export function missedLoadExpectations(result: LoadResult, expected: readonly LoadExpectation[]): string[] {
  const { failed, all } = failures(result)
  if (expected.length === 0) {
    if (failed <= MAX_FAILED * all) return []
    const another = failed < all ? " (choose another bound with --expect 'errors<10%')" : ''
    return [`${failed} of ${all} requests failed, more than 5 %${another}.`]
  }
  return expected.flatMap((one) => {
    const found = valueOf(result, one)
    if (found !== null && holds(found, one)) return []
    return [`${one.text} was expected, and ${one.figure} is ${shown(found, one)}.`]
  })
}

/** Without an answer, or refused: an answer with status 400 or above is not what a build hopes for. */
function failures({ requests, errors, statuses }: LoadResult): { failed: number; all: number } {
  const refused = Object.entries(statuses).reduce(
    (sum, [status, count]) => sum + (Number(status) >= 400 ? count : 0),
    0,
  )
  return { failed: errors + refused, all: requests + errors }
}

function valueOf(result: LoadResult, { figure, isShare }: LoadExpectation): number | null {
  if (figure === 'throughput') return result.throughput
  if (figure !== 'errors') return result.latency[figure]
  const { failed, all } = failures(result)
  if (all === 0) return null // nothing was measured
  return isShare ? failed / all : failed
}

function holds(found: number, { operator, value }: LoadExpectation): boolean {
  if (operator === '<') return found < value
  if (operator === '<=') return found <= value
  return operator === '>' ? found > value : found >= value
}

function shown(found: number | null, { figure, isShare }: LoadExpectation): string {
  if (found === null) return 'unknown: nothing was measured'
  if (figure === 'errors') return isShare ? `${(100 * found).toFixed(2)} %` : String(found)
  return figure === 'throughput' ? `${found.toFixed(1)}/s` : `${found.toFixed(1)} ms`
}

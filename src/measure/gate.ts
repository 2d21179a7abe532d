// Whether a result is what somebody expects: for builds that a measurement may fail.

import { formatCpus } from '../cpu/cpu-budget.js'
import { checkOption } from '../errors/check-options.js'
import { quoted } from './findings/wording.js'
import { sequentialBound } from './stats/sequential-bound.js'
import type { Advice, Cell, ExecutorName, MeasureResult, Verdict } from './results/result.js'

/** `faster=threads`: some cell of that executor has that verdict. `ratio>=1.3`: of what is advised, for sure. */
export type Expectation =
  | { readonly kind: 'verdict'; readonly verdict: Verdict; readonly executor: ExecutorName }
  | { readonly kind: 'ratio'; readonly operator: '<' | '<=' | '>' | '>='; readonly value: number }

const VERDICTS: readonly Verdict[] = ['faster', 'slower', 'same', 'cannot-tell']
const EXECUTORS: readonly ExecutorName[] = ['concurrent', 'threads', 'processes', 'bullmq']
const EXPECTED = "such as 'faster=threads' or 'ratio>=1.3'"

/** @throws TW_ERR_INVALID_OPTION */
export function parseExpectation(text: string): Expectation {
  const [, verdict, executor] = /^([a-z-]+)=([a-z]+)$/.exec(text) ?? []
  if (VERDICTS.includes(verdict as Verdict) && EXECUTORS.includes(executor as ExecutorName))
    return { kind: 'verdict', verdict: verdict as Verdict, executor: executor as ExecutorName }
  const [, operator, number] = /^ratio(>=|<=|>|<)(\d+\.?\d*)$/.exec(text) ?? []
  checkOption(operator !== undefined, 'expect', EXPECTED, text)
  return { kind: 'ratio', operator: operator as '<', value: Number(number) }
}

/** What is not as expected, a sentence each; of every variant and limit. */
export function missedExpectations(result: MeasureResult, expected: readonly Expectation[]): string[] {
  return result.advice.flatMap((advice) =>
    expected.flatMap((expectation) => missed(expectation, advice, cellsOf(result, advice)) ?? []),
  )
}

function cellsOf({ cells }: MeasureResult, { variant, cpus }: Advice): Cell[] {
  return cells.filter((cell) => cell.variant === variant && cell.cpus === cpus)
}

function missed(expectation: Expectation, advice: Advice, cells: readonly Cell[]): string | null {
  const where = `${advice.variant} at ${formatCpus(advice.cpus)}`
  if (expectation.kind === 'verdict') {
    const { verdict, executor } = expectation
    const own = cells.filter((cell) => cell.executor === executor)
    if (own.some((cell) => cell.failed === null && cell.verdict === verdict)) return null
    const found = own.map((cell) => `${executor} ${cell.size}: ${foundOf(cell)}`).join('; ')
    return `${where}: ${executor} should be ${verdict}, and is not (${found || 'it was not measured'}).`
  }
  const { operator, value } = expectation
  const cell = cells.find(
    ({ executor, size, uv, failed }) =>
      failed === null && executor === advice.executor && size === advice.size && uv === advice.uv,
  )
  if (cell !== undefined && holds(cell, expectation)) return null
  const found = cell === undefined ? 'unknown' : range(cell)
  return `${where}: the ratio of what is advised should be ${operator} ${value} for sure, and is ${found} (${advice.executor}).`
}

function foundOf(cell: Cell): string {
  return cell.failed === null ? `${cell.verdict}, ${range(cell)}` : `failed, ${quoted(cell.failed)}`
}

/** At the end of the interval that is the worst for it. */
function holds({ ratio }: Cell, { operator, value }: Expectation & { kind: 'ratio' }): boolean {
  if (operator === '>=') return ratio.low >= value
  if (operator === '>') return ratio.low > value
  return operator === '<=' ? ratio.high <= value : ratio.high < value
}

/**
 * Which cells are slower than in an earlier result, a sentence each: their ratios to inline differ by more than the band, and by more
 * than the bound of both together. Also what could be measured then and cannot now, and that nothing can be compared: silence would pass.
 */
export function slowerThan(
  baseline: Pick<MeasureResult, 'cells'>,
  { cells }: Pick<MeasureResult, 'cells'>,
): string[] {
  const pairs = cells.flatMap((cell) => {
    const before = baseline.cells.find((other) => nameOf(other) === nameOf(cell))
    return before !== undefined && isKnown(before) ? [{ cell, before }] : []
  })
  if (pairs.length === 0)
    return [
      'Nothing can be compared with the baseline: it has no cell of the same variant, executor, size and limit.',
    ]
  return pairs.flatMap(({ cell, before }) => {
    const name = `${cell.variant} on ${cell.executor} ${cell.size} at ${formatCpus(cell.cpus)}`
    if (cell.failed !== null)
      return [`${name} was measured in the baseline, and could not be measured now: ${cell.failed}.`]
    if (!isKnown(cell)) return []
    const change = Math.log(cell.ratio.value / before.ratio.value)
    const bound = sequentialBound(0.05, 1) * Math.hypot(cell.standardError ?? 0, before.standardError ?? 0)
    if (change > -Math.log(1 + cell.band) || -change < bound) return []
    const figures = `${range(cell)} of inline, and ${range(before)} before`
    return [`${name} is slower than in the baseline: ${figures}.`]
  })
}

function isKnown({ failed, executor, ratio }: Cell): boolean {
  return failed === null && executor !== 'inline' && Number.isFinite(ratio.value) && ratio.value > 0
}

function nameOf({ variant, executor, size, cpus, uv }: Cell): string {
  return [variant, executor, size, cpus, uv].join(' ')
}

function range({ ratio: { value, low, high } }: Cell): string {
  return `${value.toFixed(2)}x (${low.toFixed(2)}-${high.toFixed(2)})`
}

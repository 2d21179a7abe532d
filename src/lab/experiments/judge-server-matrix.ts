// What lab matrix --server may conclude: at the largest limit, each number of threads against the fewest.

import type { ServerCell } from '../../measure/results/server-result.js'
import { AGAIN } from '../runner/judge-worth.js'
import { nameLimit, plural } from '../runner/wording.js'

/** One combination, and what was measured of it. */
export interface MatrixSpot {
  readonly threads: number
  readonly cell: ServerCell
}

/** A gain below is within what two equal rows differ by. */
const NOTICEABLE = 1.05

export function judgeServerMatrix(spots: readonly MatrixSpot[]): string {
  const largest = Math.max(...spots.map(({ cell }) => cell.cpus))
  const there = spots.filter(({ cell }) => cell.cpus === largest)
  const least = Math.min(...there.map(({ threads }) => threads))
  const baseline = there.find(({ threads }) => threads === least)
  const others = there.filter((spot) => spot !== baseline)
  if (!baseline || !isMeasured(baseline) || !others.some(isMeasured)) return 'Nothing could be compared.'
  const at = `Behind an HTTP server at ${nameLimit(largest)}`
  const fewest = plural(least, 'thread')
  if (isLimited(baseline)) return `${at}: cannot tell, the load generator was the bottleneck for ${fewest}.`
  if (baseline.cell.isAtLeast) return `${at}: cannot tell, the load generator took CPU time from ${fewest}.`
  const known = others.filter((spot) => isMeasured(spot) && !isLimited(spot))
  if (known.length === 0)
    return `${at}: cannot tell, the load generator was the bottleneck for more than ${fewest}.`
  const untold = others.filter(
    (spot) => !known.includes(spot) || (spot.cell.isAtLeast && spot.cell.verdict !== 'faster'),
  )
  const compared = known.filter(({ cell }) => Number.isFinite(cell.ratio.value))
  if (compared.length === 0) return `${at}: cannot tell, too little was measured; ${AGAIN}.`
  return sentenceFor({ at, fewest, compared, untold })
}

function isMeasured({ cell }: MatrixSpot): boolean {
  return cell.failed === null && cell.windows > 0
}

function isLimited({ cell }: MatrixSpot): boolean {
  return cell.limitedBecause !== null
}

interface Findings {
  readonly at: string
  readonly fewest: string
  readonly compared: readonly MatrixSpot[]
  /** Those that the load spoilt, or that failed. */
  readonly untold: readonly MatrixSpot[]
}

function sentenceFor({ at, fewest, compared, untold }: Findings): string {
  const faster = compared.filter(({ cell }) => cell.verdict === 'faster')
  const top = (faster.length > 0 ? faster : compared).reduce((a, b) =>
    b.cell.ratio.value > a.cell.ratio.value * NOTICEABLE ? b : a,
  )
  const { verdict, isAtLeast } = top.cell
  const { value, low, high } = top.cell.ratio
  const times = `${isAtLeast ? 'at least ' : ''}${value.toFixed(2)} times`
  const figure = `a pool of ${plural(top.threads, 'thread')} answers ${times} the requests of ${fewest} (95 % interval ${low.toFixed(2)} to ${high.toFixed(2)})`
  if (verdict === 'faster') return `${at}, ${figure}.`
  if (compared.some(({ cell }) => cell.verdict === 'cannot-tell' && !cell.noGain && !cell.isAtLeast))
    return `${at}: cannot tell, ${figure}; ${AGAIN}.`
  const rest = untold.map(({ threads }) => plural(threads, 'thread')).join(' and ')
  if (untold.length > 0) return `${at}: cannot tell, ${figure}, and ${rest} could not be judged, see below.`
  return `${at}, more than ${fewest} gains nothing worth having: ${figure}.`
}

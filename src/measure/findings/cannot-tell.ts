// The interval of what might beat inline is too wide for a verdict, and what would narrow it.

import { challengers, nearestOf, type FindingContext } from './context.js'
import { giving, range, times } from './wording.js'
import { MINIMUM_ROUNDS } from '../stats/compare.js'
import type { Reason } from '../results/result.js'

/** The most rounds that a run takes. */
const MAX_ROUNDS = 20

/** An unusable machine is the matter of noisy-machine, whatever the intervals. */
export function cannotTell({ cells, settings, noise, chosen }: FindingContext): Reason | null {
  const undecided = challengers(cells).filter(
    (cell) => cell.verdict === 'cannot-tell' && cell.ratio.high >= settings.worth,
  )
  const cell = nearestOf(undecided)
  if (noise.verdict === 'unusable' || cell === undefined || chosen?.verdict === 'faster') return null
  return {
    id: 'cannot-tell',
    level: 'warning',
    sentence: `${giving(cell)} ${times(cell.ratio.value)} with a 95 % interval of ${range(cell.ratio)} after ${cell.rounds} rounds, too wide to tell: ${remedy(settings.rounds)}.`,
    evidence: { ratio: cell.ratio.value, low: cell.ratio.low, high: cell.ratio.high, rounds: cell.rounds },
  }
}

/** What to do about it, as a command. */
export function remedy(rounds: number): string {
  if (rounds < MINIMUM_ROUNDS) return `measure again without --quick (at least ${MINIMUM_ROUNDS} rounds)`
  if (rounds < MAX_ROUNDS) return `measure again with --rounds ${MAX_ROUNDS} and close other programs`
  return 'close other programs and measure again, or on a quieter machine'
}

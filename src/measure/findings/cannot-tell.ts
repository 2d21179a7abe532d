// The interval of what might beat inline is too wide for a verdict: why, and what would narrow it.

import { challengers, hopefuls, nearestOf, type FindingContext } from './context.js'
import { giving, percent, range, times } from './wording.js'
import type { Cell, Reason } from '../results/result.js'

/** Windows that others disturbed: from this share on they are the reason. */
const DISTURBED = 0.15

/** A further run should have so much more time. */
const MORE = 3

/** An unusable machine is the matter of noisy-machine, whatever the intervals. */
export function cannotTell(context: FindingContext): Reason | null {
  const { cells, scout, settings, noise, chosen } = context
  const undecided = hopefuls(challengers(cells), scout).filter(
    (cell) => cell.verdict === 'cannot-tell' && !cell.noGain && cell.ratio.high >= settings.worth,
  )
  const cell = nearestOf(undecided)
  if (noise.verdict === 'unusable' || cell === undefined || chosen?.verdict === 'faster') return null
  const { why, remedy } = cannotTellWhy(context, cell)
  return {
    id: 'cannot-tell',
    level: 'warning',
    sentence: `${giving(cell)} ${times(cell.ratio.value)} with a 95 % interval of ${range(cell.ratio)}, too wide to tell, since ${why}: ${remedy}.`,
    evidence: { ratio: cell.ratio.value, low: cell.ratio.low, high: cell.ratio.high, windows: cell.windows },
  }
}

/** The reason by its name, as a clause after "since", and what to do about it, as a command. */
export function cannotTellWhy(
  { course, settings }: Pick<FindingContext, 'course' | 'settings'>,
  cell: Cell,
): { why: string; remedy: string } {
  const longer = `give it more time: --budget ${Math.ceil(MORE * settings.budgetSeconds)}`
  if (course === null) return { why: 'too little was measured', remedy: longer }
  if (course.ended === 'stopped') return { why: 'the run was ended early', remedy: 'let it run to its end' }
  if (course.disturbed >= DISTURBED) {
    const others = course.otherCpus === null ? '' : ` (${course.otherCpus.toFixed(1)} CPUs on average)`
    const why = `other programs used the CPUs in ${percent(100 * course.disturbed)} of the windows${others}`
    return { why, remedy: 'measure again while they do not run' }
  }
  if (course.aloneBecause !== null) return { why: 'its processes cannot live side by side', remedy: longer }
  const near = Math.abs(Math.log(cell.ratio.value / settings.worth)) < (cell.standardError ?? 0) * 2
  if (cell.processes < 2) return { why: 'only one process of it could be measured in time', remedy: longer }
  return near
    ? {
        why: `it is near the ${times(settings.worth)} that would be worth it, and its processes differ`,
        remedy: longer,
      }
    : { why: 'its processes differ from one another, and the time was up', remedy: longer }
}

// The interval of what might beat inline is too wide for a verdict: why, and what would narrow it.

import { challengers, hopefuls, isOpen, nearestOf, type FindingContext } from './context.js'
import { giving, percent, range, times } from './wording.js'
import type { Cell, Reason } from '../results/result.js'

/** Windows that others disturbed: from this share on they are the reason. */
const DISTURBED = 0.15

/** A further run should have so much more time. */
const MORE = 3

/** An unusable machine is the matter of noisy-machine, whatever the intervals. */
export function cannotTell(context: FindingContext): Reason | null {
  const { cells, scout, noise, chosen } = context
  const undecided = hopefuls(challengers(cells), scout).filter((cell) => isOpen(cell, context))
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

/** As a clause: so that more of it is known. */
export function longer({ budgetSeconds }: FindingContext['settings']): string {
  return `give it more time: --budget ${Math.ceil(MORE * budgetSeconds)}`
}

/** What kept the comparison as a whole from telling more; null: nothing but the time. */
export function disturbanceOf(course: FindingContext['course']): { why: string; remedy: string } | null {
  if (course?.ended === 'stopped') return { why: 'the run was ended early', remedy: 'let it run to its end' }
  if (course === null || course.disturbed < DISTURBED) return null
  const others = course.otherCpus === null ? '' : ` (${course.otherCpus.toFixed(1)} CPUs on average)`
  const why = `other programs used the CPUs in ${percent(100 * course.disturbed)} of the windows${others}`
  return { why, remedy: 'measure again while they do not run' }
}

/** The reason by its name, as a clause after "since", and what to do about it, as a command. */
export function cannotTellWhy(
  { course, settings }: Pick<FindingContext, 'course' | 'settings'>,
  cell: Cell,
): { why: string; remedy: string } {
  const moreTime = longer(settings)
  const disturbance = disturbanceOf(course)
  if (disturbance !== null) return disturbance
  if (course === null) return { why: 'too little was measured', remedy: moreTime }
  if (course.aloneBecause !== null) return { why: 'its processes cannot live side by side', remedy: moreTime }
  const near = Math.abs(Math.log(cell.ratio.value / settings.worth)) < (cell.standardError ?? 0) * 2
  if (cell.processes < 2) return { why: 'only one process of it could be measured in time', remedy: moreTime }
  return near
    ? {
        why: `it is near the ${times(settings.worth)} that would be worth it, and its processes differ`,
        remedy: moreTime,
      }
    : { why: 'its processes differ from one another, and the time was up', remedy: moreTime }
}

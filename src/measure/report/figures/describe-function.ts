// The verdict on a function in words, and the conditions under which it may move.

import type { DoctorCondition, DoctorFunction, DoctorPackage } from '../../results/doctor-result.js'

/** More callers that have to await are counted. */
const MAX_CALLERS = 5

export function verdictText({ verdict, conditions }: DoctorFunction): string {
  if (verdict === 'move' && conditions.length > 0) return 'move, if ...'
  return verdict ?? 'cannot tell'
}

export function conditionTexts(conditions: readonly DoctorCondition[]): string[] {
  const callers = conditions.filter(({ kind }) => kind === 'await-callers')
  const more = callers.length - MAX_CALLERS
  return [
    ...conditions.filter(({ kind }) => kind !== 'await-callers').map(textOf),
    ...callers.slice(0, MAX_CALLERS).map(textOf),
    ...(more > 0 ? [`${more} more callers await it; the JSON names them`] : []),
  ]
}

function textOf({ text, file, line }: DoctorCondition): string {
  return `${text} (${file}:${line})`
}

export function packageText({ name, function: where, share, advice }: DoctorPackage): string {
  return `The package ${name} takes ${Math.round(100 * share)} % outside of your functions, most of it in ${where}: ${advice}.`
}

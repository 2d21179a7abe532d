// Which advice of a measurement deserves to be followed later by executor().

import { MINIMUM_ROUNDS } from '../measure/compare.js'
import type { Advice, MeasureResult } from '../measure/result.js'
import type { SavedChoice } from '../profile/save-profile.js'

/**
 * Leaves out what could not be told, and tasks whose variants (the same function with other inputs) got different advice
 * under one limit: a program that calls the function does not say which variant it means.
 */
export function choicesToSave(result: MeasureResult): SavedChoice[] {
  const { advice, noise, workload, date, machine } = result
  if (noise.verdict === 'unusable') return []
  const choices = advice
    .filter((one) => one.verdict !== 'cannot-tell' || isSurelyInline(one, result))
    .map(({ cpus, variant, executor, size, sentence }): SavedChoice => ({
      task: workload.variants[variant]!,
      cpus,
      executor,
      size,
      sentence,
      measuredAt: date,
      node: machine.node,
    }))
  return choices.filter((choice, index) => {
    const alike = choices.filter(({ task, cpus }) => task === choice.task && cpus === choice.cpus)
    const isFirst =
      choices.findIndex(({ task, cpus }) => task === choice.task && cpus === choice.cpus) === index
    return (
      isFirst && alike.every(({ executor, size }) => executor === choice.executor && size === choice.size)
    )
  })
}

/** Whatever the truth about the others is, none of them is worth it: their intervals end below that. */
function isSurelyInline({ executor, cpus, variant }: Advice, { cells, settings }: MeasureResult): boolean {
  const others = cells.filter(
    (cell) => cell.cpus === cpus && cell.variant === variant && cell.executor !== 'inline' && !cell.failed,
  )
  const isBelow = ({ rounds, ratio }: (typeof cells)[number]) =>
    rounds >= MINIMUM_ROUNDS && Number.isFinite(ratio.high) && ratio.high < settings.worth
  return executor === 'inline' && others.length > 0 && others.every(isBelow)
}

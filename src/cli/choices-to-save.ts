// Which advice of a measurement deserves to be followed later by executor().

import type { MeasureResult } from '../measure/result.js'
import type { SavedChoice } from '../profile/save-profile.js'

/**
 * Leaves out what is not settled, and tasks whose variants (the same function with other inputs) got different advice
 * under one limit: a program that calls the function does not say which variant it means.
 */
export function choicesToSave({ advice, noise, workload, date, machine }: MeasureResult): SavedChoice[] {
  if (noise.verdict === 'unusable') return []
  const choices = advice
    .filter(({ isSettled }) => isSettled)
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

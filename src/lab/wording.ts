// Phrases that the experiments share.

import { measurableCpus } from '../cpu/cpu-budget.js'

/** The largest CPU limit that can be measured here. */
export function allCpus(): number {
  return measurableCpus()
}

export function nameLimit(cpus: number): string {
  return `${cpus} CPU${cpus === 1 ? '' : 's'}`
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** "3.4 times" */
export function formatTimes(ratio: number): string {
  return `${ratio.toFixed(ratio < 10 ? 2 : 0)} times`
}

// Are threads worth it? The answer that several experiments give, from the row of threads that did best.

import type { Interval } from '../../measure/results/result.js'
import type { MeasuredRow } from './experiment.js'
import { formatTimes, plural } from './wording.js'

/** What a gain must be to deserve a thread: its memory, and code that crosses a boundary. */
const WORTH = 1.2

/** After "cannot tell": too little time, or a machine too busy for a verdict. */
export const AGAIN = 'run it again with a larger --budget while nothing else runs'

export interface Worth {
  readonly answer: 'worth' | 'not worth' | 'cannot tell'
  readonly label: string
  readonly size: number
  readonly ratio: Interval
}

/** Undefined when no row of threads could be measured. */
export function judgeWorth(rows: readonly MeasuredRow[]): Worth | undefined {
  const pools = rows.flatMap(({ label, measured, failed }) =>
    measured?.executor === 'threads' && failed === undefined ? { ...measured, label } : [],
  )
  if (pools.length === 0) return undefined
  const { label, size, ratio, verdict } = pools.reduce((a, b) => (b.ratio.value > a.ratio.value ? b : a))
  const isWorth = verdict === 'faster' && ratio.value >= WORTH
  return {
    answer: verdict === 'cannot-tell' ? 'cannot tell' : isWorth ? 'worth' : 'not worth',
    label,
    size,
    ratio,
  }
}

/** "Blurring is worth threads here: 2 threads give 1.78 times the WHAT ...". Undefined: it could not be measured. */
export function worthSentence(name: string, best: Worth | undefined, what: string, price = 'threads here') {
  if (!best) return `${name} on threads could not be measured.`
  const figure = `${plural(best.size, 'thread')} ${figureOf(best, what)}`
  if (best.answer === 'cannot tell') return `${name}: cannot tell, ${figure}; ${AGAIN}.`
  return `${name} is ${best.answer} ${price}: ${figure}.`
}

/** "give 1.78 times the throughput of inline (95 % interval 1.49 to 2.09)" */
export function figureOf({ ratio: { value, low, high }, size }: Worth, what: string): string {
  const give = size === 1 ? 'gives' : 'give'
  return `${give} ${formatTimes(value)} the ${what} (95 % interval ${low.toFixed(2)} to ${high.toFixed(2)})`
}

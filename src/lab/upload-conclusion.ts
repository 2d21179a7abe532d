// The answer of the uploads experiment, from the measured intervals.

import type { Cell } from '../measure/result.js'
import type { MeasuredRow } from './experiment.js'
import { AGAIN } from './judge-worth.js'
import { formatTimes } from './wording.js'

type Measured = Cell & { readonly label: string }

/** Compares all ways with the first, and the best one of threads with `concurrent`, which needs none. */
export function concludeUploads(rows: readonly MeasuredRow[], what: string): string {
  const [, ...others] = rows
  const ways = others.flatMap(({ label, measured, failed }): Measured[] =>
    measured && failed === undefined ? [{ ...measured, label }] : [],
  )
  if (ways.length === 0 || rows[0]?.failed !== undefined)
    return `Storing ${what} could not be measured in more than one way.`
  const best = bestOf(ways)
  if (best.verdict === 'cannot-tell')
    return `Storing ${what}: cannot tell which way is faster, ${figure(best)}; ${AGAIN}.`
  if (best.verdict !== 'faster')
    return `Storing ${what}: no way is faster than one file after the other here; the best, ${figure(best)}.`
  return `Storing ${what}: ${figure(best)}.${onThreads(ways)}`
}

/** Waiting needs no threads; whether they help all the same is for the intervals to say. */
function onThreads(ways: readonly Measured[]): string {
  const threads = ways.filter(({ executor }) => executor === 'threads')
  const alone = ways.find(({ executor }) => executor === 'concurrent')
  if (!alone || threads.length === 0) return ''
  const best = bestOf(threads)
  const names = `"${alone.label}", which stays in the main thread,`
  if (alone.ratio.low > best.ratio.high)
    return ` ${names} beats the best way on threads ("${best.label}", ${formatTimes(best.ratio.value)}): storing is waiting, and waiting needs no threads.`
  if (best.ratio.low > alone.ratio.high)
    return ` Threads are worth it: ${names} gives ${formatTimes(alone.ratio.value)}.`
  return ` The intervals of "${best.label}" and of ${names} overlap: between these two it cannot tell.`
}

function bestOf(ways: readonly Measured[]): Measured {
  return ways.reduce((a, b) => (b.ratio.value > a.ratio.value ? b : a))
}

function figure({ label, ratio: { value, low, high } }: Measured): string {
  return `"${label}" gives ${formatTimes(value)} the requests per second of one after the other (95 % interval ${low.toFixed(2)} to ${high.toFixed(2)})`
}

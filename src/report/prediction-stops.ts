// Lines up what was measured and what is predicted for each executor, CPU count by CPU count.

import type { Cell, ExecutorName, Prediction } from '../measure/result.js'
import { configurationName } from './cell-groups.js'

/** What one executor does with so many CPUs: measured (low = high) or predicted. */
export interface Stop {
  cpus: number
  low: number
  high: number
  name: string
  label: 'measured' | Prediction['label']
}

/** The stops of one executor by rising CPUs: its best size under each limit, where a measured value beats any prediction. */
export function predictionStops(executor: ExecutorName, cells: Cell[], predictions: Prediction[]): Stop[] {
  const measured = cells
    .filter((cell) => cell.executor === executor)
    .map(({ cpus, throughput: { median }, ...cell }): Stop => {
      return { cpus, low: median, high: median, name: configurationName(cell), label: 'measured' }
    })
  const predicted = predictions
    .filter((one) => one.executor === executor)
    .map(({ cpus, throughput: { pessimistic, bound }, label, ...one }): Stop => {
      return { cpus, low: pessimistic, high: bound, name: configurationName(one), label }
    })
  const known = [...measured, ...predicted].filter(({ low, high }) => low > 0 && high > 0)
  const best = new Map<number, Stop>()
  for (const stop of known.sort((a, b) => rank(a) - rank(b) || a.low - b.low)) best.set(stop.cpus, stop)
  return [...best.values()].sort((a, b) => a.cpus - b.cpus)
}

function rank({ label }: Stop): number {
  return label === 'measured' ? 1 : 0
}

// More workers were measured and bring nothing, so they need not be paid for.

import { maxBy, worked, type FindingContext } from './context.js'
import { bytes, nameOf, percent, times } from './wording.js'
import type { Reason } from '../results/result.js'

export function enoughWorkers({ cells, chosen, band }: FindingContext): Reason | null {
  if (chosen === null || chosen.executor === 'inline') return null
  const larger = worked(cells).filter(
    (cell) => cell.executor === chosen.executor && cell.uv === chosen.uv && cell.size > chosen.size,
  )
  const best = maxBy(larger, (cell) => cell.ratio.value)
  if (best === undefined || best.ratio.value > chosen.ratio.value * band.high) return null
  const savedBytes = savedMemory(
    chosen.memoryBytes,
    best.size - chosen.size,
    chosen.executor === 'concurrent',
  )
  const saved = savedBytes === null ? '' : `, and staying smaller saves ${bytes(savedBytes)}`
  return {
    id: 'enough-workers',
    level: 'hint',
    sentence: `Beyond ${nameOf(chosen)} nothing is gained: ${nameOf(best)} reach ${times(best.ratio.value)} against ${times(chosen.ratio.value)}, within the ${percent(band.delta * 100)} that count as no difference${saved}.`,
    evidence: {
      ratio: chosen.ratio.value,
      largerSize: best.size,
      largerRatio: best.ratio.value,
      ...(savedBytes !== null && { savedBytes }),
    },
  }
}

/** The memory of a cell is that of one worker; further calls in flight have no memory of their own that was measured. */
function savedMemory(workerBytes: number | null, workers: number, isConcurrent: boolean): number | null {
  return workerBytes === null || workerBytes <= 0 || isConcurrent ? null : workerBytes * workers
}

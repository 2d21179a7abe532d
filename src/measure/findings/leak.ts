// The task keeps memory that a garbage collection does not bring back.

import { maxBy, worked, type FindingContext } from './context.js'
import { bytes } from './wording.js'
import type { Reason } from '../results/result.js'

/** Heap that stays per call; less is what compiled code and caches of Node itself leave behind. */
const BYTES_PER_CALL = 100

/** Heap that stayed in all: late caches and code of several workers make a megabyte in a minute. */
const BYTES_IN_ALL = 4 * 1024 ** 2

export function leak({ task, cells }: FindingContext): Reason | null {
  const leaking = worked(cells).filter((cell) => {
    const perCall = cell.leakBytesPerCall ?? 0
    return perCall >= BYTES_PER_CALL && perCall * cell.latency.count >= BYTES_IN_ALL
  })
  const worst = maxBy(leaking, (cell) => cell.leakBytesPerCall ?? NaN)
  if (worst === undefined) return null
  const leakBytesPerCall = worst.leakBytesPerCall as number
  return {
    id: 'leak',
    level: 'warning',
    sentence: `${task} leaves ${bytes(leakBytesPerCall)} of heap behind per call (${bytes(leakBytesPerCall * worst.latency.count)} in ${worst.latency.count} calls): it leaks, or fills a cache that has no limit.`,
    evidence: { leakBytesPerCall, calls: worst.latency.count },
  }
}

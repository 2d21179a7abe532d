// What a call through a pool costs beyond the task itself, from the CPU time of the cells.

import { inlineCell } from './context.js'
import type { Cell } from '../result.js'

/**
 * Microseconds of CPU that one call through this pool adds: what all threads and processes together spend more than inline,
 * and at least what the main thread spends, since none of that is the task. Null when CPU times are unknown.
 */
export function callPriceUs(pool: Cell, cells: readonly Cell[]): number | null {
  const inline = inlineCell(cells)?.cpuSecondsPerTask
  if (pool.cpuSecondsPerTask === null || inline === null || inline === undefined) return null
  return Math.max(pool.cpuSecondsPerTask - inline, pool.mainCpuSecondsPerTask ?? 0) * 1e6
}

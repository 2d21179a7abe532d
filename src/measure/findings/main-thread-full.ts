// The main thread that hands out the calls has no time left, so workers wait for it.

import { maxBy, poolCells, type FindingContext } from './context.js'
import { nameOf, percent } from './wording.js'
import type { Cell, Reason } from '../results/result.js'

/** CPUs that the main thread uses: throughput times its CPU seconds per task (the utilisation law). */
const MAIN_CPU = 0.9

/** Needs both a main thread without time, and a smaller pool of the same kind that is as fast: throughput has gone flat. */
export function mainThreadFull({ task, cells, band }: FindingContext): Reason | null {
  const pools = poolCells(cells)
  const full = pools.filter((cell) => mainCpuOf(cell) > MAIN_CPU)
  const cell = maxBy(full, (candidate) => candidate.throughput.median)
  if (cell === undefined) return null
  const flat = pools.find(
    (other) =>
      other.executor === cell.executor &&
      other.size !== cell.size &&
      other.throughput.median * band.high >= cell.throughput.median,
  )
  if (flat === undefined) return null
  const sizes = [cell, flat].sort((a, b) => a.size - b.size) as [Cell, Cell]
  return {
    id: 'main-thread-full',
    level: 'hint',
    sentence: `The main thread is ${percent(Math.min(100, mainCpuOf(cell) * 100))} busy handing out ${task} and taking its results, so ${nameOf(sizes[1])} are no faster than ${nameOf(sizes[0])}: run more copies of the program instead of more workers.`,
    evidence: { mainCpu: mainCpuOf(cell), size: cell.size, comparedSize: flat.size },
  }
}

function mainCpuOf(cell: Cell): number {
  return (cell.mainCpuSecondsPerTask ?? 0) * cell.throughput.median
}

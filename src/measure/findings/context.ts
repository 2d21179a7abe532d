// What a finding may look at: everything measured for one variant under one CPU limit, and what was chosen.

import type { Cell, Course, ExecutorName, NoiseFacts, Reason, Scout, Settings } from '../results/result.js'

/** What counts as no difference. */
export interface Band {
  /** Half-width, as a share: 0.05 is 5 %. */
  delta: number
  /** Its ends as ratios, 1 / (1 + delta) and 1 + delta: as far from 1 upwards as downwards, since ratios multiply. */
  low: number
  high: number
}

export interface FindingContext {
  /** The name of the task, for sentences. */
  task: string
  cpus: number
  /** Every cell of the variant under this limit, failed ones included. */
  cells: readonly Cell[]
  scout: Scout | null
  settings: Settings
  noise: NoiseFacts
  /** How the comparison went; null where nothing is known of it. */
  course: Course | null
  band: Band
  /** The cell that is advised; null when nothing worked. */
  chosen: Cell | null
}

/** A rule: the reason that it found, or null when its evidence is not there. */
export type Finding = (context: FindingContext) => Reason | null

/** Payloads above this are large: the threshold between a call that is too small and one that copies too much. */
export const LARGE_PAYLOAD_BYTES = 16 * 1024

export function bandOf(cells: readonly Cell[]): Band {
  const delta = cells[0]?.band ?? 0.05
  return { delta, low: 1 / (1 + delta), high: 1 + delta }
}

/** The cell that all ratios refer to (libuv's pool left alone, where both were measured); null when it failed. */
export function inlineCell(cells: readonly Cell[]): Cell | null {
  const inline = cells.filter((cell) => cell.executor === 'inline').sort(byCost)[0]
  return inline?.failed === null ? inline : null
}

export function worked(cells: readonly Cell[]): Cell[] {
  return cells.filter((cell) => cell.failed === null)
}

/** The cells of `threads` and `processes` that worked. */
export function poolCells(cells: readonly Cell[]): Cell[] {
  return worked(cells).filter((cell) => cell.executor === 'threads' || cell.executor === 'processes')
}

/** Everything that could replace inline: what worked and has a ratio. */
export function challengers(cells: readonly Cell[]): Cell[] {
  const inline = inlineCell(cells)
  return worked(cells).filter((cell) => cell !== inline && Number.isFinite(cell.ratio.value))
}

/** From this share of CPU time on, overlapping calls in one thread give at most 1.11 times as many, whatever a short run shows. */
const COMPUTING = 0.9

/** Whatever its ratio is, it might be worth having. */
export function isOpen(cell: Cell, context: Pick<FindingContext, 'scout' | 'settings'>): boolean {
  if (cell.verdict !== 'cannot-tell' || cell.noGain || cell.ratio.high < context.settings.worth) return false
  return !cannotGain(cell, context)
}

/** Calls that compute all the time, one after the other: of that a wide interval, or none, leaves no doubt. */
export function cannotGain(
  { executor, size }: Cell,
  { scout, settings }: Pick<FindingContext, 'scout' | 'settings'>,
): boolean {
  const isOneAtATime = executor === 'concurrent' || (size === 1 && executor !== 'bullmq')
  return isOneAtATime && scout !== null && isComputing(scout) && 1 / COMPUTING < settings.worth
}

/** Why a cell failed that had no turn. */
export const NOT_MEASURED = 'it was not measured: the time was up before, or the run was ended'

/** The cells that were tried and cannot run the task, each for a reason of its own. */
export function unable(cells: readonly Cell[]): Cell[] {
  return cells.filter(({ failed }) => failed !== null && failed !== NOT_MEASURED)
}

/** A call that computes nearly all the time, on the caller's thread, leaves nothing to overlap. */
export function isComputing({ cpuShare, uvWork }: Scout): boolean {
  return cpuShare >= COMPUTING && uvWork.length === 0
}

/**
 * Those of the challengers that may be worth having. Where calls compute all the time, `concurrent` is not among them as long as others
 * are: the little that was measured of it leaves an interval that says nothing, and arithmetic says enough.
 */
export function hopefuls(cells: readonly Cell[], scout: Scout | null): readonly Cell[] {
  if (scout === null || !isComputing(scout)) return cells
  const others = cells.filter(({ executor }) => executor !== 'concurrent')
  return others.length > 0 ? others : cells
}

/** From the least to the most that a service must carry: memory, code that crosses a boundary, and a store. */
const COST: Record<ExecutorName, number> = { inline: 0, concurrent: 1, threads: 2, processes: 3, bullmq: 4 }

/** Orders the smallest executor first: by kind, then by size, then with libuv's pool left alone first. */
export function byCost(a: Cell, b: Cell): number {
  return COST[a.executor] - COST[b.executor] || a.size - b.size || (a.uv ?? 0) - (b.uv ?? 0)
}

/** The cell with the highest ratio; undefined for none. */
export function nearestOf(cells: readonly Cell[]): Cell | undefined {
  return maxBy(cells, (cell) => cell.ratio.value)
}

/** The item with the largest value, the first of equal ones; NaN never wins. */
export function maxBy<T>(items: readonly T[], valueOf: (item: T) => number): T | undefined {
  let best: T | undefined
  for (const item of items) {
    if (best === undefined ? !Number.isNaN(valueOf(item)) : valueOf(item) > valueOf(best)) best = item
  }
  return best
}

/** Bytes that cross the boundary per call, there and back; null when they cannot be cloned. */
export function payloadBytes(scout: Scout): number | null {
  if (scout.argumentBytes === null || scout.resultBytes === null) return null
  return scout.argumentBytes + scout.resultBytes
}

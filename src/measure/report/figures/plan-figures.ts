// The rows of a plan as text, as terminal and page show them.

import type {
  PlanCheck,
  PlanConfiguration,
  PlanRange,
  PlanResult,
  PlanShape,
} from '../../results/plan-result.js'
import { dash, formatBytes, formatMs, formatPlain } from './format-number.js'

/** "4 x 0.5 CPU, 2 instances". */
export function shapeText({ containers, cpus, instances, threads }: PlanShape): string {
  const parts = [
    `${containers} x ${formatPlain(cpus)} CPU`,
    ...(instances > 1 ? [`${instances} instances`] : []),
    ...(threads > 0 ? [`${threads} ${threads === 1 ? 'thread' : 'threads'}`] : []),
  ]
  return parts.join(', ')
}

/** "34 ms (28 .. 44)". */
export function rangeText(range: PlanRange | null): string {
  if (range === null) return dash
  const { value, low, high } = range
  return `${formatMs(value)} (${formatPlain(tidy(low))}..${formatPlain(tidy(high))})`
}

function tidy(value: number): number {
  return Number(value.toPrecision(value >= 100 ? 3 : 2))
}

export function sharePercent(share: number | null): string {
  return share === null ? dash : `${Math.round(100 * share)} %`
}

export function costText({ price, containers, cpus }: PlanConfiguration): string {
  return price === null ? formatPlain(containers * cpus) : formatPlain(Math.round(price * 100) / 100)
}

/** Heading of that column. */
export function costName({ prices }: Pick<PlanResult, 'prices'>): string {
  return prices === null ? 'CPUs' : 'price'
}

/** "/report moves": what has to be done first. */
export function movesText({ moves }: PlanConfiguration): string {
  return moves.length === 0 ? '' : `${moves.join(', ')} moves`
}

/** The cells of a row, in the order of the heading. */
export function planCells(row: PlanConfiguration): string[] {
  const { containers, cpus, instances, threads, use, p99, holds, memoryBytes } = row
  return [
    String(containers),
    formatPlain(cpus),
    String(instances),
    threads === 0 ? dash : String(threads),
    sharePercent(use),
    rangeText(p99),
    sharePercent(holds),
    formatBytes(memoryBytes),
    costText(row),
  ]
}

export function planHeadings(result: PlanResult): string[] {
  return [
    'containers',
    'CPU',
    'instances',
    'threads',
    'use',
    'p99 (80 %)',
    'holds',
    'memory',
    costName(result),
  ]
}

export function loadText({ load, goal }: PlanResult): string {
  const { rate, arrivals, paths } = load
  const total = paths.reduce((sum, { weight }) => sum + weight, 0)
  const mix = paths.map(({ path, weight }) =>
    paths.length === 1 ? path : `${path} ${sharePercent(weight / total)}`,
  )
  const lost = goal.spare === 0 ? '' : `, also when ${goal.spare} ${goal.spare === 1 ? 'is' : 'are'} lost`
  return `${formatPlain(rate)} requests/s (${arrivals}; ${mix.join(', ')}), p99 of at most ${formatMs(goal.p99)}${lost}.`
}

export function calibrationTexts({ calibration }: PlanResult): string[] {
  return calibration.map(({ path, cpuMs, mainMs, threadMs, waitMs, spread, at }) => {
    const parts = [
      `${formatMs(mainMs)} on the main thread`,
      ...(threadMs > 0.05 ? [`${formatMs(threadMs)} on threads`] : []),
      ...(waitMs >= 1 ? [`${formatMs(waitMs)} waiting`] : []),
    ]
    return `${path}: ${formatMs(cpuMs)} of CPU time (${parts.join(', ')}; +-${Math.max(1, Math.round(100 * spread))} %), at ${formatPlain(Number(at.toPrecision(3)))} requests/s on one process`
  })
}

export function planCheckText({ configuration, predicted, measured, sentence }: PlanCheck): string {
  const what = `${shapeText(configuration)}: predicted p99 ${rangeText(predicted.p99)} at ${sharePercent(predicted.use)}`
  return measured === null
    ? `${what}. ${sentence}`
    : `${what}, measured ${formatMs(measured.p99)} at ${sharePercent(measured.use)}. ${sentence}`
}

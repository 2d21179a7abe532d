// Sorts the cells of a result for reading: by variant, then CPU limit, then executor and size.

import type {
  Advice,
  Cell,
  ExecutorName,
  MeasureResult,
  WorkloadFacts,
  Verdict,
} from '../../results/result.js'
import { finite, formatCpuLimit } from './format-number.js'

/** All cells of one variant under one CPU limit, with the advice on them. */
export interface CellGroup {
  variant: string
  cpus: number
  cells: Cell[]
  advice: Advice | undefined
}

/** What tells one configuration of an executor from another. */
export interface Configuration {
  executor: ExecutorName
  size: number
  uv?: number | null
}

export const executorOrder: readonly ExecutorName[] = [
  'inline',
  'concurrent',
  'threads',
  'processes',
  'bullmq',
]

/** The groups in reading order; a variant and limit that has only advice gets a group without cells. */
export function groupCells(result: MeasureResult): CellGroup[] {
  const groups = new Map<string, CellGroup>()
  const group = ({ variant, cpus }: { variant: string; cpus: number }): CellGroup => {
    const key = JSON.stringify([variant, cpus])
    const found = groups.get(key) ?? { variant, cpus, cells: [], advice: undefined }
    groups.set(key, found)
    return found
  }
  for (const cell of result.cells) group(cell).cells.push(cell)
  for (const advice of result.advice) group(advice).advice = advice
  for (const { cells } of groups.values()) cells.sort(compareConfigurations)
  const rank = Object.keys(result.workload.variants)
  return [...groups.values()].sort(
    (a, b) => rank.indexOf(a.variant) - rank.indexOf(b.variant) || a.cpus - b.cpus,
  )
}

/** The variants in the order of the workload, each with its groups. */
export function groupVariants(result: MeasureResult): { variant: string; groups: CellGroup[] }[] {
  const groups = groupCells(result)
  return unique(groups.map(({ variant }) => variant)).map((variant) => ({
    variant,
    groups: groups.filter((group) => group.variant === variant),
  }))
}

/** "inline", "threads 2", "concurrent 8", and "threads 2 uv 16" where UV_THREADPOOL_SIZE was part of the question. */
export function configurationName({ executor, size, uv }: Configuration): string {
  const name = executor === 'inline' ? executor : `${executor} ${size}`
  return typeof uv === 'number' ? `${name} uv ${uv}` : name
}

export function compareConfigurations(a: Configuration, b: Configuration): number {
  return (
    executorOrder.indexOf(a.executor) - executorOrder.indexOf(b.executor) ||
    a.size - b.size ||
    (a.uv ?? 0) - (b.uv ?? 0)
  )
}

export function isAdvised(cell: Cell, advice: Advice | undefined): boolean {
  return advice !== undefined && configurationName(advice) === configurationName(cell)
}

/** Inline with the thread pool left alone is what the others are compared with. */
export function isBaseline({ executor, uv }: Configuration): boolean {
  return executor === 'inline' && typeof uv !== 'number'
}

/** True for a cell with figures to draw. */
export function isMeasured(cell: Cell): boolean {
  return cell.failed === null && finite(cell.throughput.median) !== null
}

/** "0.6 CPU", with the variant in front where the workload has more than one. */
export function groupTitle(
  { variant, cpus }: { variant: string; cpus: number },
  workload: WorkloadFacts,
): string {
  return hasVariants(workload) ? `${variant}, ${formatCpuLimit(cpus)}` : formatCpuLimit(cpus)
}

export function hasVariants(workload: WorkloadFacts): boolean {
  return Object.keys(workload.variants).length > 1
}

/** The name of what was measured: its task, or the workload file when there are several. */
export function workloadTitle({ variants, file }: WorkloadFacts): string {
  const tasks = unique(Object.values(variants))
  return tasks.length === 1 && tasks[0] ? tasks[0] : (file.split(/[\\/]/).at(-1) ?? file)
}

/** How the limit of a group was applied, in words; empty when no limit was needed. */
export function describeEnforcement(cells: Cell[]): string {
  const ways = cells
    .map(({ enforcement }) => enforcement)
    .filter(({ method }) => method !== 'none')
    .map(
      ({ method, exact, note }) =>
        `limited by ${method}${exact ? '' : `, not exact${note ? `: ${note}` : ''}`}`,
    )
  return unique(ways).join('; ')
}

export function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}

/** As people say it; what cannot be told to be slower, the same or faster, but to be no gain, has a word of its own. */
export function cellVerdict({ verdict, noGain }: Pick<Cell, 'verdict' | 'noGain'>): string {
  return noGain ? 'no gain' : verdictWord(verdict)
}

/** As people say it. */
export function verdictWord(verdict: Verdict): string {
  return verdict === 'cannot-tell' ? 'cannot tell' : verdict
}

/** Why there is no figure of a cell; empty where there is one. */
export function failureText({ failed }: Pick<Cell, 'failed'>): string {
  if (failed === null) return ''
  const isLate = failed.startsWith('it was not measured: ')
  return isLate ? failed.replace(/^it was /, '') : `failed: ${failed}`
}

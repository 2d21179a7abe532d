// Predicts throughput at CPU counts that were not measured, from the CPU time that a task takes on each side of a pool.
//
// Operational analysis (Denning and Buzen, "The operational analysis of queueing network models", ACM Computing Surveys
// 10, 1978): a part that a task uses for D seconds is fully used at 1 / D tasks per second, so for n workers on C CPUs
//
//   X(n, C) <= min( 1 / D_main,  n / (D_rest + W),  C / (D_main + D_rest) )
//
// with D_main the CPU seconds per task on the main thread (dispatch, copying, resuming), D_rest those everywhere else, and
// W the seconds per task that wait without a CPU. It says what cannot be exceeded, from a machine of any size. What it
// leaves out (memory bandwidth, turbo, shared caches, locks) is in the pessimistic side: from the lower end of what was
// measured each doubling of CPUs and workers keeps the efficiency that the last measured doubling had. A fitted scaling law is
// not used: with two or three sizes its interval measures noise and not ignorance of the law.

import type { Cell, Prediction, Scout } from './results/result.js'
import { mean } from './stats/summary.js'

/** Up to this many times the measured CPUs a prediction is extrapolated, then a guess, then refused. */
const EXTRAPOLATED_UP_TO = 2
const REFUSED_BEYOND = 4

/** Twice the workers give the same throughput: assumed where no doubling was measured. */
const NO_GAIN = 0.5

/**
 * Predictions for `threads` and `processes` of one variant, at 2 and 4 times the largest measured CPU limit, with as many
 * workers as CPUs. Empty when the cells do not say enough: inline failed, no CPU times, or less than one CPU.
 *
 * @param cells the cells of one variant; those of smaller limits are ignored
 */
export function predict(cells: readonly Cell[], scout: Scout): Prediction[] {
  const measured = Math.max(...cells.map((cell) => cell.cpus))
  const usable = cells.filter((cell) => cell.cpus === measured && cell.uv === null && throughputOf(cell) > 0)
  const inline = usable.find((cell) => cell.executor === 'inline')
  if (inline === undefined || measured < 1) return []

  return (['threads', 'processes'] as const).flatMap((executor) => {
    const pools = usable.filter((cell) => cell.executor === executor)
    const demands = demandsOf(pools, scout)
    if (demands === null) return []
    const scaling = scalingOf(pools, measured)
    return doublingsOf(measured).map((cpus): Prediction => {
      const throughput = rangeAt(cpus, demands, scaling)
      const perInline = 1 / throughputOf(inline)
      return {
        variant: inline.variant,
        executor,
        size: Math.floor(cpus),
        cpus,
        throughput,
        ratio: { pessimistic: throughput.pessimistic * perInline, bound: throughput.bound * perInline },
        label: cpus <= EXTRAPOLATED_UP_TO * measured ? 'extrapolated' : 'guess',
      }
    })
  })
}

/** Seconds per task. */
export interface Demands {
  main: number
  rest: number
  wait: number
}

/** Tasks per second that `size` workers on `cpus` CPUs cannot exceed. */
export function boundOf({ main, rest, wait }: Demands, size: number, cpus: number): number {
  return Math.min(1 / main, size / (rest + wait), cpus / (main + rest))
}

/**
 * The ratio to inline that a cell has at its limit, by what the same executor and size showed at other limits. Null where they do not say
 * enough. Demands are means here, and relative to inline: this is what is likely, and not a bound, and the machine may have been faster
 * while one of the limits was measured.
 *
 * @param others cells of the same variant at other limits
 */
export function ratioAt(
  others: readonly Cell[],
  { executor, size, uv, cpus }: Cell,
  scout: Scout,
): number | null {
  const wait = Math.max(0, scout.callUs - scout.cpuUs) / 1e6
  const beside = others.flatMap((own): [own: Cell, inline: Cell][] => {
    const inline = others.find(
      (cell) => cell.cpus === own.cpus && cell.executor === 'inline' && cell.uv === null,
    )
    const isSame = own.executor === executor && own.size === size && own.uv === uv
    return isSame && inline && knowsTimes(own) && knowsTimes(inline) ? [[own, inline]] : []
  })
  if (beside.length === 0) return null
  const inlineCpu = mean(beside.map(([, inline]) => inline.cpuSecondsPerTask!))
  const share = (timeOf: (cell: Cell) => number) =>
    inlineCpu * mean(beside.map(([own, inline]) => timeOf(own) / inline.cpuSecondsPerTask!))
  const total = share(({ cpuSecondsPerTask }) => cpuSecondsPerTask!)
  const main = Math.min(
    total,
    share(({ mainCpuSecondsPerTask }) => mainCpuSecondsPerTask!),
  )
  const inline = boundOf({ main: inlineCpu, rest: 0, wait: inlineCpu + wait }, 1, cpus)
  const { inFlight } = beside[0]![0]
  const isPool = executor === 'threads' || executor === 'processes'
  const own = boundOf({ main, rest: total - main, wait }, isPool ? size : inFlight, cpus)
  return own / inline
}

function knowsTimes({ failed, cpuSecondsPerTask, mainCpuSecondsPerTask }: Cell): boolean {
  return failed === null && (cpuSecondsPerTask ?? 0) > 0 && mainCpuSecondsPerTask !== null
}

interface Scaling {
  /** The limit that was measured, the throughput there with as many workers as CPUs, and the highest upper end with any size. */
  cpus: number
  throughput: number
  highest: number
  /** The lower end of the interval of that throughput, as a share of it. */
  lower: number
  /** X(2s) / (2 X(s)): 1 when twice the workers gave twice the throughput, 0.5 when they gave nothing. */
  efficiency: number
}

/**
 * The least CPU time seen at any size: a bound must hold for the best that the pool can do, and a crowded cell burns CPU
 * (cache misses, contention) that a machine with more CPUs may not.
 */
function demandsOf(pools: Cell[], scout: Scout): Demands | null {
  const known = pools.filter(knowsTimes)
  if (known.length === 0) return null
  const main = Math.min(...known.map((cell) => cell.mainCpuSecondsPerTask as number))
  const total = Math.min(...known.map((cell) => cell.cpuSecondsPerTask as number))
  const wait = Math.max(0, scout.callUs - scout.cpuUs) / 1e6
  return { main, rest: Math.max(0, total - main), wait }
}

function scalingOf(pools: Cell[], cpus: number): Scaling {
  const bySize = [...pools].sort((a, b) => a.size - b.size)
  const fitting = bySize.filter((cell) => cell.size <= cpus)
  // Sizes beyond the CPUs say nothing about efficiency: there is no CPU left for the second half of the workers.
  const doublings = fitting.flatMap((large) => {
    const small = fitting.find((cell) => cell.size * 2 === large.size)
    return small === undefined ? [] : [throughputOf(large) / (2 * throughputOf(small))]
  })
  const base = fitting.at(-1) ?? bySize[0]
  return {
    cpus,
    throughput: base === undefined ? 0 : throughputOf(base),
    highest: Math.max(...pools.map(({ throughput }) => throughput.high)),
    lower: base === undefined ? 1 : base.throughput.low / base.throughput.median,
    efficiency: Math.min(1, doublings.at(-1) ?? NO_GAIN),
  }
}

function doublingsOf(cpus: number): number[] {
  const counts = []
  for (let count = 2 * cpus; count <= REFUSED_BEYOND * cpus; count *= 2) counts.push(count)
  return counts
}

function rangeAt(cpus: number, demands: Demands, scaling: Scaling): Prediction['throughput'] {
  const growth = cpus / scaling.cpus
  const likely = scaling.throughput * growth * scaling.efficiency ** Math.log2(growth)
  // What was reached with fewer CPUs can be reached with more, whatever the demands of a noisy cell say.
  const bound = Math.max(scaling.highest, boundOf(demands, Math.floor(cpus), cpus))
  return { pessimistic: Math.min(likely, bound) * scaling.lower, bound }
}

function throughputOf(cell: Cell): number {
  return cell.failed === null ? cell.throughput.median : 0
}

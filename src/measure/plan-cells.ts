// Which cells to measure: executors x sizes x limits x variants, and how many calls to keep open in each.

import type { ExecutorName, Scout } from './results/result.js'
import type { CellPlan } from './trial/trial.js'
import type { WorkloadSource } from './trial/workload.js'

export interface PlanRequest {
  readonly source: WorkloadSource
  readonly scout: Readonly<Record<string, Scout>>
  readonly executors: readonly ExecutorName[]
  /** Workers of threads and processes. */
  readonly sizes: readonly number[]
  /** Concurrency of `concurrent`; undefined: chosen by what the task does. */
  readonly concurrency: readonly number[] | undefined
  readonly cpus: readonly number[]
  readonly uv: readonly number[]
  readonly quick: boolean
}

/** Below this share of CPU time in its run time, a call mostly waits. */
const WAITING = 0.5

/** Open calls for each worker, at least and at most: two keep it busy, more amortise the message of short calls. */
const CALLS_PER_WORKER = { least: 2, most: 64 }

/** Work that lies ready for each worker, in microseconds: several round trips. */
const READY_US = 1000

export function planCells(request: PlanRequest): CellPlan[] {
  return Object.keys(request.scout).flatMap((variant) =>
    request.cpus.flatMap((cpus) => {
      const scout = request.scout[variant]!
      const base = { source: request.source, variant, cpus }
      const inline: CellPlan = { ...base, executor: 'inline', size: 1, uv: null, inFlight: 1 }
      const others = request.executors
        .filter((executor) => executor !== 'inline')
        .flatMap((executor) =>
          sizesOf(executor, request, scout).map((size): CellPlan => ({
            ...base,
            executor,
            size,
            uv: null,
            inFlight: inFlightOf(executor, size, request, scout),
          })),
        )
      const withUv = usesPool(scout)
        ? request.uv.flatMap((uv) => [inline, ...others].map((cell): CellPlan => ({ ...cell, uv })))
        : []
      return [inline, { ...inline, isAgain: true }, ...others, ...withUv]
    }),
  )
}

/** A call that waits can overlap with others in one thread; so can work that libuv's pool does for it. */
function canOverlap(scout: Scout): boolean {
  return scout.cpuShare < WAITING || usesPool(scout)
}

export function usesPool(scout: Scout): boolean {
  return scout.uvWork.length > 0
}

function sizesOf(executor: ExecutorName, request: PlanRequest, scout: Scout): readonly number[] {
  if (executor !== 'concurrent') return request.sizes
  if (request.concurrency) return request.concurrency
  if (!canOverlap(scout)) return [8] // one cell shows that it does not help
  return request.quick ? [8, 64] : [4, 16, 64]
}

function inFlightOf(executor: ExecutorName, size: number, request: PlanRequest, scout: Scout): number {
  if (executor === 'concurrent') return size
  // Equal conditions: a pool gets as many open calls as the widest concurrent cell, and no fewer.
  if (canOverlap(scout)) return Math.max(2 * size, ...sizesOf('concurrent', request, scout))
  const perWorker = Math.ceil(READY_US / scout.callUs)
  return size * Math.min(CALLS_PER_WORKER.most, Math.max(CALLS_PER_WORKER.least, perWorker))
}

// Which cells to measure: executors x sizes x limits x variants, how many calls to keep open in each, and which of them compete.

import type { ExecutorName, Scout } from './results/result.js'
import { wholeCpus } from '../cpu/cpu-budget.js'
import type { StoreToMeasure } from './options.js'
import { isComputing } from './findings/context.js'
import { canOverlap } from './world/plan-window.js'
import type { Entry } from './world/task-world-options.js'
import type { CellPlan } from './trial/trial.js'
import type { WorkloadSource } from './trial/workload.js'

export interface PlanRequest {
  readonly source: WorkloadSource
  readonly scout: Readonly<Record<string, Scout>>
  readonly executors: readonly ExecutorName[]
  /** Of `bullmq`. */
  readonly store?: StoreToMeasure | undefined
  /** Workers of threads and processes. */
  readonly sizes: readonly number[]
  /** Concurrency of `concurrent`; undefined: chosen by what the task does. */
  readonly concurrency: readonly number[] | undefined
  readonly cpus: readonly number[]
  readonly uv: readonly number[]
  readonly quick: boolean
}

/** The cells of one variant under one limit: inline first, then what is compared with it. */
export interface Family {
  readonly variant: string
  readonly cpus: number
  readonly entries: readonly Entry[]
}

/** Open calls for each worker, at least and at most: two keep it busy, more amortise the message of short calls. */
const CALLS_PER_WORKER = { least: 2, most: 64 }

/** Work that lies ready for each worker, in microseconds: several round trips, to a worker here, and through a store. */
const READY_US = 1000
const READY_THROUGH_STORE_US = 20_000

export function planFamilies(request: PlanRequest): Family[] {
  return request.cpus.flatMap((cpus) =>
    Object.keys(request.scout).map((variant) => ({
      variant,
      cpus,
      entries: entriesOf(variant, cpus, request),
    })),
  )
}

function entriesOf(variant: string, cpus: number, request: PlanRequest): Entry[] {
  const scout = request.scout[variant]!
  const base = { source: request.source, variant, cpus, fresh: scout.changesInput, stream: scout.isLazy }
  const inline: CellPlan = { ...base, executor: 'inline', size: 1, uv: null, inFlight: 1 }
  const others = request.executors
    .filter((executor) => executor !== 'inline')
    .flatMap((executor) =>
      sizesOf(executor, request, { scout, cpus }).map((size): CellPlan => {
        const inFlight = inFlightOf(executor, size, request, scout)
        const own = executor === 'bullmq' ? { options: queueOptions(size, inFlight, request, scout) } : {}
        return { ...base, executor, size, uv: null, inFlight, ...own }
      }),
    )
  const withUv = usesPool(scout)
    ? request.uv.flatMap((uv) => [inline, ...others].map((cell): CellPlan => ({ ...cell, uv })))
    : []
  return [
    { cell: inline, role: 'baseline' },
    ...[...others, ...withUv].map((cell): Entry => ({ cell, role: roleOf(cell, request, scout) })),
  ]
}

/** Of a task that computes, `concurrent` only shows that it does not help. Who asks for certain concurrencies wants to know of them. */
function roleOf({ executor }: CellPlan, { concurrency }: PlanRequest, scout: Scout): Entry['role'] {
  return executor === 'concurrent' && concurrency === undefined && isComputing(scout) ? 'control' : 'rival'
}

export function usesPool(scout: Scout): boolean {
  return scout.uvWork.length > 0
}

interface Place {
  readonly scout: Scout
  readonly cpus: number
}

function sizesOf(executor: ExecutorName, request: PlanRequest, { scout, cpus }: Place): readonly number[] {
  if (executor === 'bullmq') return [largestWithin(wholeCpus(cpus), request.sizes)] // as many as one machine would have
  if (executor !== 'concurrent') return request.sizes
  if (request.concurrency) return request.concurrency
  if (!canOverlap(scout)) return [8] // one cell shows that it does not help
  return request.quick ? [8, 64] : [4, 16, 64]
}

function largestWithin(cpus: number, sizes: readonly number[]): number {
  return Math.max(Math.min(...sizes), ...sizes.filter((size) => size <= cpus))
}

/** Where calls wait, a worker takes as many at a time as are open. */
function queueOptions(size: number, inFlight: number, { store }: PlanRequest, scout: Scout) {
  return { ...store, workers: { size, ...(canOverlap(scout) && { concurrency: inFlight }) } }
}

function inFlightOf(executor: ExecutorName, size: number, request: PlanRequest, scout: Scout): number {
  if (executor === 'concurrent') return size
  // Equal conditions: a pool gets as many open calls as the widest concurrent cell, and no fewer.
  if (canOverlap(scout)) return Math.max(2 * size, ...sizesOf('concurrent', request, { scout, cpus: size }))
  const readyUs = executor === 'bullmq' ? READY_THROUGH_STORE_US : READY_US
  const perWorker = Math.ceil(readyUs / scout.callUs)
  return size * Math.min(CALLS_PER_WORKER.most, Math.max(CALLS_PER_WORKER.least, perWorker))
}

// What a trial is told and what it answers: one cell in one round, measured in a process of its own.

import type { HistogramJson } from '../../primitives/histogram.js'
import type { ExecutorName, Scout } from '../results/result.js'
import type { WorkloadSource } from './workload.js'

/** One configuration: what every round measures once. */
export interface CellPlan {
  readonly source: WorkloadSource
  readonly variant: string
  readonly executor: ExecutorName
  readonly size: number
  readonly cpus: number
  readonly uv: number | null
  /** Calls that the driver keeps open. */
  readonly inFlight: number
  /** A second measurement of inline, which shows how much two equal cells differ. */
  readonly isAgain?: boolean
  /** Further options of the executor, which may also say another size. */
  readonly options?: Readonly<Record<string, unknown>>
}

export interface TrialTiming {
  /** The warm-up lasts until throughput has stopped rising, within these bounds. */
  readonly warmUpMs: { readonly least: number; readonly most: number }
  readonly measureMs: number
}

export type TrialRequest =
  | { readonly kind: 'cell'; readonly cell: CellPlan; readonly timing: TrialTiming }
  /** A short look at inline calls: how long, how much CPU, what kind of work. */
  | {
      readonly kind: 'scout'
      readonly source: WorkloadSource
      readonly variant: string
      readonly measureMs: number
    }
  /** Calls that start together, and when each of them ends. */
  | { readonly kind: 'burst'; readonly cell: CellPlan; readonly calls: number; readonly bursts: number }
  /** The memory of idle workers that have each run the task. */
  | { readonly kind: 'memory'; readonly cell: CellPlan }

export interface CellTrial {
  readonly kind: 'cell'
  /** Calls that gave a result and calls that failed, and the time until the last of them ended. */
  readonly completed: number
  readonly failed: number
  readonly seconds: number
  /** Calls that ended, well or not, per second of exactly the planned time. */
  readonly callsPerSecond: number
  readonly firstError: string | null
  readonly latency: HistogramJson
  readonly loopDelay: HistogramJson
  /** CPU seconds of all processes, and of the main thread; null where the platform does not say. */
  readonly cpuSeconds: number | null
  readonly mainCpuSeconds: number | null
  readonly memoryBytes: number | null
  readonly leakBytes: number | null
  readonly throttledMs: number | null
  readonly startMs: number
}

export interface BurstTrial {
  readonly kind: 'burst'
  /** For each burst the times at which its calls ended, in ms from its start, ascending. */
  readonly endsMs: readonly (readonly number[])[]
}

export interface MemoryTrial {
  readonly kind: 'memory'
  readonly rssBytes: number | null
  readonly privateBytes: number | null
  readonly virtualBytes: number | null
}

export interface ScoutTrial {
  readonly kind: 'scout'
  readonly scout: Scout
}

export interface FailedTrial {
  readonly kind: 'failed'
  readonly reason: string
}

export type TrialAnswer = CellTrial | BurstTrial | MemoryTrial | ScoutTrial | FailedTrial

/** How a CPU limit was applied. */
export interface Enforcement {
  readonly method: string
  readonly exact: boolean
  readonly note: string
}

export interface Trial<Answer extends TrialAnswer = TrialAnswer> {
  readonly answer: Answer | FailedTrial
  readonly enforcement: Enforcement
}

/** Runs one trial under a CPU limit. Never rejects, except with TW_ERR_LIMIT_UNAVAILABLE. */
export type RunTrial = (
  request: TrialRequest,
  where: { cpus: number; uv: number | null; signal?: AbortSignal | undefined },
) => Promise<Trial>

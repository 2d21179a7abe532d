// What a trial is asked and what it answers. A trial is one process of one cell: it lives while its cell is measured, and works only
// while it is asked to.

import type { ErrorCode } from '../../errors/errors.js'
import type { HistogramJson } from '../../primitives/histogram.js'
import type { ExecutorName, Scout } from '../results/result.js'
import type { WindowPlan } from './count-window.js'
import type { DuePlan } from './due-calls.js'
import type { WorkloadSource } from './workload.js'

/** One configuration. */
export interface CellPlan {
  readonly source: WorkloadSource
  readonly variant: string
  readonly executor: ExecutorName
  readonly size: number
  readonly cpus: number
  readonly uv: number | null
  /** Calls that are kept open. */
  readonly inFlight: number
  /** Each call gets a copy of its arguments, made before it is timed: the task changes what it is given. */
  readonly fresh?: boolean
  /** The task gives its result piece by piece: a call ends with the last piece. */
  readonly stream?: boolean
  /** Further options of the executor, which may also say another size. */
  readonly options?: Readonly<Record<string, unknown>>
}

/** `kind` -> what is asked, and what is answered. */
export interface TrialProtocol {
  /** Loads the file of a workload, which runs code of the user's: not in the program that measures. */
  describe: { asked: { source: WorkloadSource }; answered: WorkloadNames | UnusableWorkload }
  /** A short look at inline calls: how long, how much CPU, what kind of work. */
  scout: { asked: { source: WorkloadSource; variant: string; measureMs: number }; answered: Scout }
  /** Creates the executor and makes one call, unless calls are long: then the time until its end is not known. */
  start: { asked: { cell: CellPlan; isLong: boolean }; answered: { startMs: number | null } }
  /** Works for so long, or until so much CPU time is used. */
  warmUp: { asked: { ms: number; cpuMs: number }; answered: WarmUp }
  /** Spins to find where the periods of its quota begin. */
  findPeriod: { asked: object; answered: { phase: number | null } }
  window: { asked: { plan: WindowPlan; hasQuota: boolean }; answered: WindowAnswer }
  /** A window, after which the trial tells what it has seen so far. */
  profile: { asked: { plan: WindowPlan; hasQuota: boolean }; answered: TrialProfile }
  /** Calls that are due at fixed times. */
  due: { asked: DuePlan; answered: { latency: HistogramJson; failed: number } }
  /** What all windows so far have used. */
  report: { asked: object; answered: Usage }
  /** Calls that start together, and when each of them ends. */
  burst: { asked: { cell: CellPlan; calls: number; bursts: number }; answered: BurstTrial }
  /** The memory of idle workers that have each run the task. */
  memory: { asked: { cell: CellPlan }; answered: MemoryTrial }
  /** Loads the function of a version, and calls it once. */
  open: { asked: { source: WorkloadSource; variant: string }; answered: { isOpen: true } }
  /** What it gives for its first inputs. */
  results: { asked: { most: number; ms: number }; answered: { results: VersionResult[] } }
  warm: { asked: { ms: number }; answered: VersionWarmUp }
  /** Calls it for some milliseconds. */
  turn: { asked: { ms: number }; answered: LoadedTurn }
  /** Makes so many calls, and says what they allocate, and what is held afterwards. */
  usage: { asked: { count: number }; answered: VersionUsage }
}

/** What a workload says of itself. */
export interface WorkloadNames {
  readonly module: string
  readonly variants: Readonly<Record<string, string>>
}

/** The error that loading it throws. */
export interface UnusableWorkload {
  readonly unusable: { readonly code: ErrorCode; readonly message: string }
}

export type TrialQuestion = keyof TrialProtocol
/** What its process tells: that it can be asked, and answers. */
export type FromTrial = { readonly isUp: true } | { readonly id: number; readonly answer: TrialAnswer }

export type TrialRequest = {
  [K in TrialQuestion]: { readonly kind: K } & Readonly<TrialProtocol[K]['asked']>
}[TrialQuestion]
export type TrialAnswer<K extends TrialQuestion = TrialQuestion> = TrialProtocol[K]['answered'] | FailedTrial

export interface WarmUp {
  readonly calls: number
  /** Wall-clock time of one call on its worker, and CPU time of a call in all processes, in microseconds. */
  readonly callUs: number
  readonly cpuUs: number
}

export interface WindowAnswer {
  /** Calls that gave a result, per second. */
  readonly rate: number
  /** Calls that ended, and the time that they took: of the whole window, its lead and its end included. */
  readonly calls: number
  readonly wallMs: number
  /** CPU time that all processes of the trial used in the window, and since the last one; null where the platform does not say. */
  readonly cpuMs: number | null
  readonly idleCpuMs: number | null
  /** Memory has piled up that a garbage collection does not bring back. */
  readonly isFull: boolean
}

/** What all windows of a trial have shown, beside their rates. */
export interface Usage {
  readonly calls: number
  readonly failed: number
  readonly firstError: string | null
  readonly latency: HistogramJson
  /** How late the event loop of the main thread ran. */
  readonly loopDelay: HistogramJson
  readonly seconds: number
  /** Time frozen by the quota, in ms; null without one. */
  readonly throttledMs: number | null
  /** CPU seconds of all processes, and of the main thread; null where the platform does not say. */
  readonly cpuSeconds: number | null
  readonly mainCpuSeconds: number | null
  /** Heap that stays after a collection since the profile, and the calls since then. Null where workers have heaps of their own. */
  readonly leak: { readonly bytes: number; readonly calls: number } | null
}

export interface TrialProfile {
  /** Private memory of a worker; for inline and concurrent what loading the module adds. */
  readonly memoryBytes: number | null
  readonly usage: Usage
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

/** Of one input: the value, the text of one that cannot be sent, or what was thrown; and whether a second call gave the same. */
export interface VersionResult {
  readonly value?: unknown
  readonly text?: string
  readonly error?: string
  readonly isSteady: boolean
}

export interface VersionWarmUp {
  readonly callUs: number
  /** Until it came near to the speed that it had in the end. */
  readonly warmUpMs: number
}

export interface LoadedTurn {
  /** Calls per second, and per second of CPU time of the process. */
  readonly rate: number
  readonly cpuRate: number
  readonly cpuMs: number
}

export interface VersionUsage {
  /** By a call, in the heap and in buffers. */
  readonly allocatedBytes: number
  /** By the process, after a collection. */
  readonly heldBytes: number
}

export interface FailedTrial {
  readonly failed: string
}

/** How a CPU limit was applied. */
export interface Enforcement {
  readonly method: string
  readonly exact: boolean
  readonly note: string
}

/** Whether it failed. */
export function isFailed(answer: object): answer is FailedTrial {
  return 'failed' in answer && typeof answer.failed === 'string'
}

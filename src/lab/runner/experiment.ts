// What an experiment is: a description of rows to measure and of what to say about them. How to measure is run-lab.ts.

import type { Cell } from '../../measure/results/result.js'
import type { BurstTrial, CellPlan, MemoryTrial } from '../../measure/trial/trial.js'
import type { ServerProgress } from '../../measure/server/options.js'
import type { Pause } from './pause.js'
import type { LabResult, Timeline } from '../../measure/results/lab-result.js'

/** A value that the user may change, as an option of the command line. */
export interface Parameter {
  readonly flag: string
  readonly description: string
  /** What depends on this machine is a getter: an invalid THREADWISE_CPUS must not break the import of the program. */
  readonly initial: number | readonly number[] | string | boolean
  /** The smallest whole number that makes sense; default 1. 'fraction': any number above 0, as for CPU limits. */
  readonly least?: number | 'fraction'
  /** A file that is written. */
  readonly isOutput?: boolean
  /** The largest number that makes sense; numbers have one. */
  readonly most?: number
}

/** Of lists of threads, and of CPU limits. */
export const MAX_THREADS = 1024
export const MAX_CPUS = 4096

export type Parameters = Readonly<Record<string, Parameter>>
export type Values<P extends Parameters> = {
  readonly [K in keyof P]: P[K]['initial'] extends number
    ? number
    : P[K]['initial'] extends string
      ? string
      : P[K]['initial'] extends boolean
        ? boolean
        : readonly number[]
}

/** What the tasks need, beside their folder. */
export interface Prepared {
  /** Ends what was started. */
  readonly cleanUp?: () => void
  /** Facts about it that belong into the report, a sentence each. */
  readonly found?: readonly string[]
  /** Looks at what the tasks have left behind, after the last of them and before it is removed. */
  readonly inspect?: () => Promise<Findings>
}

export interface Findings {
  /** Facts about it that belong into the report, a sentence each. */
  readonly found: readonly string[]
  readonly tables: LabResult['tables']
  readonly timelines: Timeline[]
}

export interface Row {
  readonly label: string
  readonly cell: CellPlan
}

/** What one row gave: a cell compared with the row named as baseline, or the trials of a burst or of memory. */
export interface MeasuredRow extends Row {
  readonly measured?: Cell
  readonly bursts?: readonly BurstTrial[]
  readonly memory?: readonly MemoryTrial[]
  readonly failed?: string
}

export type Conclusion = Pick<LabResult, 'sentence' | 'remarks' | 'tables' | 'heatMaps'>

/** What an experiment that measures by itself is given. */
export interface OwnRun {
  /** Undefined: its own default. */
  readonly rounds: number | undefined
  /** Seconds. Undefined: its own default. */
  readonly budget: number | undefined
  readonly signal: AbortSignal | undefined
  readonly onServer: (progress: ServerProgress) => void
}

export type OwnResult = Conclusion & Required<Pick<LabResult, 'servers' | 'noise' | 'complete'>>

export interface Experiment<P extends Parameters = Parameters> {
  readonly name: string
  readonly question: string
  /** About how long it takes with the initial values. */
  readonly takes: string
  readonly parameters: P
  /** Default 6. */
  readonly rounds?: number
  /** What a trial is: a comparison of throughput, or something else to look at. */
  readonly mode: 'cell' | 'memory' | 'burst'
  /** Calls that start together, and how often (mode 'burst'). */
  readonly burst?: (values: Values<P>) => { readonly calls: number; readonly bursts: number }
  /** Puts what the tasks need into the folder, which is removed after the run; pauses often, and looks at the disk first. */
  readonly prepare?: (values: Values<P>, folder: string, pause?: Pause) => Promise<Prepared>
  readonly rows: (values: Values<P>, folder: string) => Row[]
  /** The row with which this one is compared (mode 'cell'). */
  readonly baselineOf?: (row: Row, rows: readonly Row[]) => Row | undefined
  /** Measures by itself, such as servers, instead of rows; null: it does not, with these values. */
  readonly own?: (values: Values<P>, run: OwnRun) => Promise<OwnResult> | null
  readonly conclude: (rows: readonly MeasuredRow[], values: Values<P>) => Conclusion
}

/** URL of a task module of the lab. */
export function labTasks(name: string): string {
  return new URL(`../../lab/tasks/${name}.js`, import.meta.url).href
}

/** URL of a program of the lab, which makes many calls of such tasks. */
export function labProgram(name: string): string {
  return new URL(`../../lab/programs/${name}-program.js`, import.meta.url).href
}

// What the world of a task is told, and what it takes from outside.

import type { Candidate, Role, World } from '../decision/world.js'
import { machineCpu, type MachineCpu } from '../machine/machine-cpu.js'
import { availableMemory } from '../machine/process-resources.js'
import type { Scout } from '../results/result.js'
import type { Random } from '../stats/random.js'
import {
  startTrialProcess,
  type TrialPlace,
  type TrialProcess,
  type TrialRuntime,
} from '../trial/trial-process.js'
import type { CellPlan } from '../trial/trial.js'

/** A cell, and whether it is what the others are compared with, may be advised, or is only shown. */
export interface Entry {
  readonly cell: CellPlan
  readonly role: Role
}

export interface TaskCandidate extends Candidate, Entry {}

/** What comes from outside: the real things, or exact fakes in tests. */
export interface Outside {
  readonly startTrial: (place: TrialPlace) => Promise<TrialProcess>
  /** Milliseconds. */
  readonly now: () => number
  readonly machineCpu: MachineCpu
  readonly availableMemory: typeof availableMemory
}

export const realOutside = (): Outside => ({
  startTrial: startTrialProcess,
  now: () => performance.now(),
  machineCpu: machineCpu(),
  availableMemory,
})

export interface TaskWorldOptions extends Outside {
  readonly scoutOf: (cell: CellPlan) => Scout
  /** What runs a cell. Default: what runs this program. */
  readonly runtimeOf?: ((cell: CellPlan) => TrialRuntime) | undefined
  /** When the run began, and seconds from then on after which this decision must have ended. */
  readonly startedMs: number
  readonly until: number
  /** CPUs that all trials have together. */
  readonly cpus: number
  /** CPUs of what contains this process are limited by a quota. */
  readonly isWithinQuota: boolean
  /** All candidates are measured at the same time: their calls are long, and hardly use a CPU. */
  readonly areTogether: boolean
  /** Calls per second at which callers' waiting is timed; null: it is not. */
  readonly rate: number | null
  readonly random: Random
  readonly signal: AbortSignal | undefined
  readonly onPhase: (phase: Phase) => void
  readonly onLook?: World<TaskCandidate>['onLook']
}

export type Phase = 'starting' | 'warming up' | 'measuring'

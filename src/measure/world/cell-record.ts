// What was seen of a cell beside its windows: gathered while its trials live, read when the cell is summarized.

import type { CellPlan, Enforcement, Usage } from '../trial/trial.js'

export interface CellRecord {
  readonly cell: CellPlan
  enforcement: Enforcement | null
  readonly startMs: number[]
  readonly memoryBytes: number[]
  /** Of each trial what it told last. */
  readonly usages: Usage[]
  /** How long callers waited at the rate that was asked for. */
  readonly dueTimes: Usage['latency'][]
  /** Trials that were ended since their memory had piled up. */
  wornOut: number
}

export function emptyRecord(cell: CellPlan): CellRecord {
  return { cell, enforcement: null, startMs: [], memoryBytes: [], usages: [], dueTimes: [], wornOut: 0 }
}

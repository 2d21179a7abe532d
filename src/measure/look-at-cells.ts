// A short look at cells of which nothing is known: how long a call takes, and how much of that is CPU.

import { isThreadwiseError } from '../errors/errors.js'
import type { Scout } from './results/result.js'
import { isFailed, type CellPlan, type FailedTrial } from './trial/trial.js'
import type { TrialPlace, TrialProcess } from './trial/trial-process.js'

type StartTrial = (place: TrialPlace) => Promise<TrialProcess>

const LOOK_MS = 250
const PATIENCE_MS = 20_000

/** One after the other. Gives the reason where the limit of a cell cannot be made; what fails otherwise will fail again when it is compared. */
export async function lookAtCells(
  cells: readonly CellPlan[],
  { startTrial, signal }: { startTrial: StartTrial; signal: AbortSignal | undefined },
): Promise<Map<CellPlan, Scout | FailedTrial>> {
  const looks = new Map<CellPlan, Scout | FailedTrial>()
  for (const cell of cells)
    looks.set(cell, signal?.aborted ? UNKNOWN : await lookAt(cell, startTrial, signal))
  return looks
}

const UNKNOWN: Scout = {
  callUs: 1000,
  cpuUs: 1000,
  cpuShare: 1,
  argumentBytes: null,
  resultBytes: null,
  uvWork: [],
  errorRate: 0,
  firstError: null,
  changesInput: false,
  isLazy: false,
}

async function lookAt(
  cell: CellPlan,
  startTrial: StartTrial,
  signal?: AbortSignal,
): Promise<Scout | FailedTrial> {
  try {
    const trial = await startTrial({ cpus: cell.cpus, uv: cell.uv, signal })
    return await askAbout(trial, cell).finally(() => trial.kill())
  } catch (error) {
    if (!isThreadwiseError(error)) throw error
    return { failed: error.message }
  }
}

async function askAbout(trial: TrialProcess, cell: CellPlan): Promise<Scout> {
  const started = await trial.ask('start', { cell, isLong: false }, PATIENCE_MS)
  if (isFailed(started)) return UNKNOWN
  trial.liftLimit()
  const warm = await trial.ask('warmUp', { ms: LOOK_MS, cpuMs: Infinity }, PATIENCE_MS)
  if (isFailed(warm)) return UNKNOWN
  return {
    ...UNKNOWN,
    callUs: warm.callUs,
    cpuUs: warm.cpuUs,
    cpuShare: Math.min(1, warm.cpuUs / warm.callUs),
  }
}

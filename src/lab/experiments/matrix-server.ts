// lab matrix --server: threads and cores of a pool that works behind an HTTP server.

import { fileURLToPath } from 'node:url'
import { measurableCpus } from '../../cpu/cpu-budget.js'
import { isThreadwiseError } from '../../errors/errors.js'
import { startMachineCheck } from '../../measure/machine/machine-check.js'
import { createRandom, shuffle } from '../../measure/stats/random.js'
import { median } from '../../measure/stats/summary.js'
import { startServerTrial } from '../../measure/server/start-server-trial.js'
import type { ServerRow, StartServerTrial } from '../../measure/server/server-trial.js'
import type { OwnResult, OwnRun } from '../runner/experiment.js'
import {
  isLimited,
  isSqueezed,
  judgeServerMatrix,
  type Circumstances,
  type MatrixSpot,
} from './judge-server-matrix.js'
import { nameLimit, plural } from '../runner/wording.js'

export interface MatrixValues {
  readonly threads: readonly number[]
  readonly cpus: readonly number[]
  /** Arguments of the task: divisions, and ms to wait. */
  readonly work: readonly number[]
}

const ROUNDS = 6
const CALLS_PER_THREAD = 4
const TIMING = { leadMs: 250, countMs: 400 }

export async function measureServerMatrix(
  values: MatrixValues,
  run: OwnRun,
  startTrial: StartServerTrial = startServerTrial,
): Promise<OwnResult> {
  const { rounds = ROUNDS, signal } = run
  const available = measurableCpus()
  const check = await startMachineCheck(available)
  const random = createRandom(1)
  const spots = spotsOf(values)
  const startedMs = performance.now()
  let done = 0
  for (let round = 1; round <= rounds && !signal?.aborted; round++) {
    for (const spot of shuffle(spots, random)) {
      if (signal?.aborted) break
      const row = rowOf(spot)
      await measureSpot(spot, row, { values, signal, startTrial })
      done++
      const seconds = (performance.now() - startedMs) / 1000
      const budgetSeconds = (seconds / done) * rounds * spots.length
      const step = {
        cpus: spot.cpus,
        comparison: round,
        comparisons: rounds,
        live: spots.length - 1,
        best: null,
      }
      run.onServer({ ...step, phase: 'measuring', seconds, budgetSeconds })
    }
  }
  const complete = done === rounds * spots.length && signal?.aborted !== true
  const noise = check.finish([])
  const usable = noise.verdict !== 'unusable'
  return { ...concludeServerMatrix(spots, values, { available, usable }), servers: [], noise, complete }
}

/** All combinations, and the one that the others are compared with once more. */
function spotsOf({ threads, cpus }: MatrixValues): MatrixSpot[] {
  const spotAt = (size: number, limit: number, isAgain: boolean): MatrixSpot => ({
    ...{ threads: size, cpus: limit, isAgain, trials: [], failed: null },
  })
  const spots = cpus.flatMap((limit) => threads.map((size) => spotAt(size, limit, false)))
  return [...spots, spotAt(Math.min(...threads), Math.max(...cpus), true)]
}

interface Where {
  readonly values: MatrixValues
  readonly signal: AbortSignal | undefined
  readonly startTrial: StartServerTrial
}

async function measureSpot(
  spot: MatrixSpot,
  row: ServerRow,
  { values, signal, startTrial }: Where,
): Promise<void> {
  if (spot.failed !== null) return
  const file = fileURLToPath(new URL('../../lab/servers/pool-server.js', import.meta.url))
  const env = { THREADWISE_LAB_THREADS: String(spot.threads), THREADWISE_LAB_WORK: JSON.stringify(values.work) } // prettier-ignore
  const connections = CALLS_PER_THREAD * Math.max(...values.threads)
  try {
    const trial = await startTrial({ file, row, env, signal })
    if ('failed' in trial) {
      if (!signal?.aborted) spot.failed = trial.failed
      return
    }
    const seen = await trial.saturate({ connections, ...TIMING }).finally(() => trial.stop())
    if (signal?.aborted) return
    if (seen.errorRate < 1) spot.trials.push(seen)
    else spot.failed = `no request was answered: ${seen.firstError ?? 'there was none'}`
  } catch (error) {
    if (!isThreadwiseError(error)) throw error
    spot.failed = error.message // the limit cannot be made here
  }
}

function rowOf({ threads, cpus }: MatrixSpot): ServerRow {
  return { name: plural(threads, 'thread'), way: 'single', path: '/', instances: 1, cpus, role: 'other' }
}

/** Exported for its tests. */
export function concludeServerMatrix(
  all: readonly MatrixSpot[],
  { threads, cpus }: MatrixValues,
  circumstances: Circumstances,
) {
  const spots = all.filter(({ isAgain }) => !isAgain)
  const valueAt = (size: number, limit: number) => speedOf(spots, size, limit)
  const values = threads.map((size) => cpus.map((limit) => valueAt(size, limit)))
  return {
    sentence: judgeServerMatrix(all, circumstances),
    remarks: [...doubts(spots, circumstances.available), ...failures(spots)],
    tables: [
      {
        title: 'Requests per second by threads of the pool (rows) and CPUs of the server (columns)',
        columns: ['threads', ...cpus.map(nameLimit)],
        rows: threads.map((size, i) => [size, ...values[i]!.map((value) => value && Math.round(value))]),
      },
    ],
    heatMaps: [
      {
        ...{ title: 'Requests per second', rowTitle: 'threads', columnTitle: 'CPUs', unit: 'requests/s' },
        ...{ rows: threads.map(String), columns: cpus.map(String), values },
        predicted: threads.map(() => cpus.map(() => false)),
      },
    ],
  }
}

function speedOf(spots: readonly MatrixSpot[], size: number, limit: number): number | null {
  const spot = spots.find(({ threads, cpus }) => threads === size && cpus === limit)
  if (!spot || spot.failed !== null || spot.trials.length === 0) return null
  return median(spot.trials.map(({ throughput }) => throughput))
}

/** What the load spoilt, which runs on the same machine. */
function doubts(spots: readonly MatrixSpot[], available: number): string[] {
  const limited = spots.filter(isLimited)
  const squeezed = spots.filter((spot) => isSqueezed(spot, available))
  const names = (list: readonly MatrixSpot[]) => list.map(({ threads, cpus }) => `${plural(threads, 'thread')} at ${nameLimit(cpus)}`).join(', ') // prettier-ignore
  return [
    ...(limited.length > 0 ? [`Cannot tell for ${names(limited)}: the load generator was the bottleneck.`] : []), // prettier-ignore
    ...(squeezed.length > 0 ? [`The load generator took CPU time from ${names(squeezed)}: these could answer more.`] : []), // prettier-ignore
  ]
}

function failures(spots: readonly MatrixSpot[]): string[] {
  return spots.flatMap(({ threads, cpus, failed }) => (failed === null ? [] : [`${plural(threads, 'thread')} at ${nameLimit(cpus)} could not be measured: ${failed}.`])) // prettier-ignore
}

// lab matrix --server: threads and cores of a pool that works behind an HTTP server.

import { fileURLToPath } from 'node:url'
import { measurableCpus } from '../cpu/cpu-budget.js'
import { isThreadwiseError } from '../errors.js'
import { compareFamily } from '../measure/compare.js'
import { startMachineCheck } from '../measure/machine-check.js'
import { noiseBand } from '../measure/noise-band.js'
import { createRandom, shuffle } from '../measure/random.js'
import { median } from '../measure/summary.js'
import { runServerTrial } from '../measure-server/run-server-trial.js'
import type { RunServerTrial, SaturationTrial, ServerRow } from '../measure-server/server-trial.js'
import type { OwnResult, OwnRun } from './experiment.js'
import { nameLimit, plural } from './wording.js'

export interface MatrixValues {
  readonly threads: readonly number[]
  readonly cpus: readonly number[]
  /** Arguments of the task: divisions, and ms to wait. */
  readonly work: readonly number[]
}

/** One combination, and what its rounds gave. */
export interface MatrixSpot {
  readonly threads: number
  readonly cpus: number
  readonly trials: SaturationTrial[]
  failed: string | null
}

export interface Circumstances {
  /** CPUs that server and load generator have together. */
  readonly available: number
  /** False when the machine was too busy: then there is no verdict. */
  readonly usable: boolean
}

const ROUNDS = 6
const CALLS_PER_THREAD = 4
const TIMING = { warmUpMs: 250, measureMs: 400 }
/** Above this share of all CPUs, server and load take them from each other. */
const FULL = 0.92
/** A gain below is within what two equal rows differ by. */
const NOTICEABLE = 1.05

export async function measureServerMatrix(
  values: MatrixValues,
  run: OwnRun,
  runTrial: RunServerTrial = runServerTrial,
): Promise<OwnResult> {
  const { rounds = ROUNDS, signal } = run
  const available = measurableCpus()
  const check = await startMachineCheck(available)
  const random = createRandom(1)
  const spots = values.cpus.flatMap((cpus) =>
    values.threads.map((threads): MatrixSpot => ({ threads, cpus, trials: [], failed: null })),
  )
  let done = 0
  for (let round = 1; round <= rounds && !signal?.aborted; round++) {
    check.calibrate()
    for (const spot of shuffle(spots, random)) {
      if (signal?.aborted) break
      const row = rowOf(spot)
      await measureSpot(spot, row, { values, signal, runTrial })
      done++
      const throughput = spot.failed === null ? (spot.trials.at(-1)?.throughput ?? null) : null
      run.onServer({ phase: 'saturation', round, rounds, done, total: rounds * spots.length, row, throughput }) // prettier-ignore
    }
  }
  const complete = done === rounds * spots.length && signal?.aborted !== true
  const noise = check.finish()
  const usable = noise.verdict !== 'unusable'
  return { ...concludeServerMatrix(spots, values, { available, usable }), servers: [], noise, complete }
}

interface Where {
  readonly values: MatrixValues
  readonly signal: AbortSignal | undefined
  readonly runTrial: RunServerTrial
}

async function measureSpot(
  spot: MatrixSpot,
  row: ServerRow,
  { values, signal, runTrial }: Where,
): Promise<void> {
  if (spot.failed !== null) return
  const file = fileURLToPath(new URL('./pool-server.js', import.meta.url))
  const env = { THREADWISE_LAB_THREADS: String(spot.threads), THREADWISE_LAB_WORK: JSON.stringify(values.work) } // prettier-ignore
  const connections = CALLS_PER_THREAD * Math.max(...values.threads)
  try {
    const { answer } = await runTrial({ file, row, env, connections, rates: [], ...TIMING }, signal)
    if (signal?.aborted) return
    if (answer.kind === 'saturation') spot.trials.push(answer)
    else if (answer.kind === 'failed') spot.failed = answer.reason
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
  spots: readonly MatrixSpot[],
  matrix: MatrixValues,
  circumstances: Circumstances,
) {
  const { threads, cpus } = matrix
  const valueAt = (size: number, limit: number) => speedOf(spots, size, limit)
  const values = threads.map((size) => cpus.map((limit) => valueAt(size, limit)))
  return {
    sentence: sentenceOf(spots, matrix, circumstances),
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

/** At the largest limit, each number of threads against the fewest, in the same rounds. */
function sentenceOf(
  spots: readonly MatrixSpot[],
  { threads, cpus }: MatrixValues,
  { usable }: Circumstances,
): string {
  const largest = Math.max(...cpus)
  const least = Math.min(...threads)
  const samplesOf = (size: number) =>
    spots.find((spot) => spot.threads === size && spot.cpus === largest)?.trials.map(({ throughput }) => throughput) ?? [] // prettier-ignore
  const sizes = threads.filter((size) => size !== least && samplesOf(size).length > 0)
  const inline = samplesOf(least)
  if (inline.length === 0 || sizes.length === 0) return 'Nothing could be compared.'
  const random = createRandom(1)
  const family = { inline, cells: sizes.map(samplesOf), band: noiseBand([], [], random), usable }
  const compared = compareFamily(family, random).map(({ ratio, verdict }, i) => ({ size: sizes[i]!, ratio, verdict })) // prettier-ignore
  const faster = compared.filter(({ verdict }) => verdict === 'faster')
  const top = (faster.length > 0 ? faster : compared).reduce((a, b) => (b.ratio.value > a.ratio.value * NOTICEABLE ? b : a)) // prettier-ignore
  const { value, low, high } = top.ratio
  const figure = `a pool of ${plural(top.size, 'thread')} answers ${value.toFixed(2)} times the requests of ${plural(least, 'thread')} (95 % interval ${low.toFixed(2)} to ${high.toFixed(2)})`
  const at = `Behind an HTTP server at ${nameLimit(largest)}`
  if (top.verdict === 'faster') return `${at}, ${figure}.`
  if (compared.some(({ verdict }) => verdict === 'cannot-tell'))
    return `${at}: cannot tell, ${figure}; run it again with --rounds 20 while nothing else runs.`
  return `${at}, more than ${plural(least, 'thread')} gains nothing: ${figure}.`
}

/** What the load spoilt, which runs on the same machine. */
function doubts(spots: readonly MatrixSpot[], available: number): string[] {
  const typical = (trials: readonly SaturationTrial[], pick: (trial: SaturationTrial) => number) =>
    median(trials.map(pick))
  const measured = spots.filter(({ trials }) => trials.length > 0)
  const limited = measured.filter(({ trials }) => 2 * trials.filter(({ limitedBecause }) => limitedBecause !== null).length >= trials.length) // prettier-ignore
  const squeezed = measured.filter(({ cpus, trials }) => {
    const generator = typical(trials, ({ generatorCpu }) => generatorCpu)
    const used = typical(trials, ({ serverCpus }) => serverCpus ?? cpus)
    return cpus + generator > available && used + generator > FULL * available
  })
  const names = (list: readonly MatrixSpot[]) => list.map(({ threads, cpus }) => `${plural(threads, 'thread')} at ${nameLimit(cpus)}`).join(', ') // prettier-ignore
  return [
    ...(limited.length > 0 ? [`Cannot tell for ${names(limited)}: the load generator was the bottleneck.`] : []), // prettier-ignore
    ...(squeezed.length > 0 ? [`The load generator took CPU time from ${names(squeezed)}: these could answer more.`] : []), // prettier-ignore
  ]
}

function failures(spots: readonly MatrixSpot[]): string[] {
  return spots.flatMap(({ threads, cpus, failed }) => (failed === null ? [] : [`${plural(threads, 'thread')} at ${nameLimit(cpus)} could not be measured: ${failed}.`])) // prettier-ignore
}

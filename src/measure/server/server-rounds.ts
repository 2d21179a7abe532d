// Runs the rounds: first the saturation of every row, then the latency of every row at equal rates. Measures nothing itself.

import { isThreadwiseError } from '../../errors/errors.js'
import { shuffle, type Random } from '../stats/random.js'
import { median } from '../stats/summary.js'
import type { Enforcement } from '../trial/trial.js'
import type { ResolvedServerOptions, ServerProgress } from './options.js'
import type { ServerPace } from './server-pace.js'
import type {
  LatencyTrial,
  RateOf,
  RunServerTrial,
  SaturationTrial,
  ServerRow,
  FailedTrial,
} from './server-trial.js'

/** What the rounds showed of one row; by round, undefined where it was not measured. */
export interface RowRecord {
  readonly row: ServerRow
  readonly saturation: (SaturationTrial | FailedTrial | undefined)[]
  readonly latency: (LatencyTrial | FailedTrial | undefined)[]
  enforcement: Enforcement | undefined
  /** Its CPU limit is not available here. */
  unavailable: string | undefined
}

export interface ServerRounds {
  readonly rows: readonly ServerRow[]
  readonly options: ResolvedServerOptions
  readonly runTrial: RunServerTrial
  readonly random: Random
  readonly pace: ServerPace
  readonly beforeRound: () => void
}

/** Of the saturation of one process: latency is worth comparing where nobody is overloaded. */
export const SHARES = [0.5, 0.7, 0.9]
/** A row that fails in this many trials, without one success, will not succeed. */
const HOPELESS_AFTER = 2

export async function runServerRounds(
  run: ServerRounds,
): Promise<{ records: RowRecord[]; complete: boolean }> {
  const records = run.rows.map((row): RowRecord => ({
    ...{ row, saturation: [], latency: [], enforcement: undefined, unavailable: undefined },
  }))
  const isSaturated = await runPhase('saturation', records, run)
  const isAll = await runPhase('latency', records, run)
  return { records, complete: isSaturated && isAll && run.options.signal?.aborted !== true }
}

async function runPhase(
  phase: ServerProgress['phase'],
  records: RowRecord[],
  run: ServerRounds,
): Promise<boolean> {
  const { random, pace, options } = run
  const { settings, signal, onProgress } = options
  const { rounds } = settings
  const isLatency = phase === 'latency'
  const ratesAt = isLatency ? ratesByLimit(records) : new Map<number, RateOf[]>()
  let done = 0
  for (let round = 0; round < rounds; round++) {
    run.beforeRound()
    const live = records.filter(
      (record) => !isHopeless(record) && (!isLatency || ratesAt.has(record.row.cpus)),
    )
    for (const [place, record] of shuffle(live, random).entries()) {
      if (signal?.aborted || pace.isTimeUp(phase)) return false
      const total = done + (live.length - place) + (rounds - round - 1) * live.length
      const rates = isLatency ? shuffle(ratesAt.get(record.row.cpus)!, random) : []
      await runOne(record, round, rates, run)
      done++
      const throughput = isLatency ? undefined : throughputOf(record.saturation[round])
      if (record.unavailable === undefined)
        onProgress({ phase, round: round + 1, rounds, done, total, row: record.row, ...(throughput !== undefined && { throughput }) }) // prettier-ignore
    }
  }
  return true
}

async function runOne(
  record: RowRecord,
  round: number,
  rates: readonly RateOf[],
  { options, runTrial, pace }: ServerRounds,
): Promise<void> {
  const { file, env, settings, signal } = options
  const { row } = record
  const phase = rates.length > 0 ? 'latency' : 'saturation'
  try {
    const { connections } = settings
    const request = { file, row, env, connections, rates, ...pace.timingOf(phase) }
    const { answer, enforcement } = await runTrial(request, signal)
    record.enforcement = enforcement
    if (signal?.aborted) return // an interrupted trial says nothing about the row
    if (answer.kind !== 'latency' && phase === 'saturation') record.saturation[round] = answer
    else if (answer.kind !== 'saturation') record.latency[round] = answer
  } catch (error) {
    if (!isThreadwiseError(error) || error.code !== 'TW_ERR_LIMIT_UNAVAILABLE') throw error
    record.unavailable = error.message
  }
}

/** The rates of all rows under a limit: they follow from one process alone, so that every row gets the same load. */
function ratesByLimit(records: readonly RowRecord[]): Map<number, RateOf[]> {
  const baselines = records.filter(({ row }) => row.role === 'baseline')
  return new Map(
    baselines.flatMap(({ row, saturation }): [number, RateOf[]][] => {
      const rate = median(saturation.flatMap((trial) => throughputOf(trial) ?? []))
      const rates = SHARES.map((share) => ({ share, rate: Number((share * rate).toPrecision(4)) }))
      return rate > 0 ? [[row.cpus, rates]] : []
    }),
  )
}

/** Null for a failed or missing trial. */
export function throughputOf(trial: SaturationTrial | FailedTrial | undefined): number | null {
  return trial?.kind === 'saturation' && trial.throughput > 0 ? trial.throughput : null
}

function isHopeless({ saturation, unavailable }: RowRecord): boolean {
  if (unavailable !== undefined) return true
  const ran = saturation.filter((trial) => trial !== undefined)
  return ran.length >= HOPELESS_AFTER && ran.every((trial) => throughputOf(trial) === null)
}

// From records to verdicts: every row against one process on the first path, under the same limit and in the same round.

import type { Samples } from '../stats/bootstrap.js'
import { compareFamily, type Comparison } from '../stats/compare.js'
import { noiseBand } from '../stats/noise-band.js'
import type { Random } from '../stats/random.js'
import type { Verdict } from '../results/result.js'
import { median } from '../stats/summary.js'
import { SHARES, throughputOf, type RowRecord } from './server-rounds.js'
import type { ServerCell, ServerLatency } from '../results/server-result.js'
import type { LatencyRun, LatencyTrial, SaturationTrial } from './server-trial.js'

export interface Circumstances {
  readonly rounds: number
  /** False when the machine was unusable: then no row gets a verdict. */
  readonly usable: boolean
  /** CPUs that server and load generator have together. */
  readonly available: number
}

/** The rate at which the latency of rows is compared. */
export const COMPARED_SHARE = SHARES[1]!
/** Above this share of all CPUs, server and generator take them from each other. */
const FULL = 0.92
/** A row whose requests fail more often measures something else. */
const MAX_ERRORS = 0.05

/** All rows but the second ones of one process, in the order of the plan. */
export function judgeRows(
  records: readonly RowRecord[],
  circumstances: Circumstances,
  random: Random,
): ServerCell[] {
  const limits = [...new Set(records.map(({ row }) => row.cpus))]
  return limits.flatMap((cpus) => {
    const family = records.filter(({ row }) => row.cpus === cpus)
    const rows = family.filter(({ row }) => row.role !== 'again')
    const speed = compare(family, throughputs, circumstances, random)
    const delay = compare(family, promptness, circumstances, random)
    const cells = rows.map((record, index) => cellOf(record, circumstances, speed[index]!, delay[index]!))
    return doubt(cells, circumstances, cpus)
  })
}

type Compared = Pick<Comparison, 'ratio' | 'verdict'> & { band: number }

/** For each row but the second ones. */
function compare(
  family: readonly RowRecord[],
  samplesOf: (record: RowRecord | undefined, rounds: number) => Samples,
  { rounds, usable }: Circumstances,
  random: Random,
): Compared[] {
  const of = (role: string) => samplesOf(family.find(({ row }) => row.role === role), rounds) // prettier-ignore
  const inline = of('baseline')
  const band = noiseBand(inline, of('again'), random)
  const others = family.filter(({ row }) => row.role === 'other')
  const cells = others.map((record) => samplesOf(record, rounds))
  const comparisons = compareFamily({ inline, cells, band, usable }, random)
  const itself: Compared = { ratio: { value: 1, low: 1, high: 1 }, verdict: 'same', band: band.delta }
  return [itself, ...comparisons.map(({ ratio, verdict }) => ({ ratio, verdict, band: band.delta }))]
}

function throughputs(record: RowRecord | undefined, rounds: number): (number | null)[] {
  return Array.from({ length: rounds }, (_, round) => throughputOf(record?.saturation[round]))
}

/** One over the p99, so that more is better, as with throughput. Failures are often quick, so their p99 would look good. */
function promptness(record: RowRecord | undefined, rounds: number): (number | null)[] {
  return Array.from({ length: rounds }, (_, round) => {
    const trial = record?.latency[round]
    const run = trial?.kind === 'latency' ? trial.runs.find(({ share }) => share === COMPARED_SHARE) : undefined // prettier-ignore
    if (!run?.p99 || run.limitedBecause !== null || run.errorRate > MAX_ERRORS) return null
    return 1000 / run.p99
  })
}

function cellOf(record: RowRecord, { rounds }: Circumstances, speed: Compared, delay: Compared): ServerCell {
  const { name, way, path, instances, cpus } = record.row
  const ran = record.saturation.filter((trial) => trial?.kind === 'saturation')
  const samples = throughputs(record, rounds)
  const isTimed = promptness(record, rounds).some((sample) => sample !== null)
  const failed = failureOf(record, ran)
  return {
    ...{ name, way, path, instances, cpus },
    enforcement: { ...(record.enforcement ?? { method: 'none', exact: false, note: 'not measured' }) },
    rounds: ran.length,
    throughput: spread(samples),
    samples,
    ratio: speed.ratio,
    verdict: failed === null ? speed.verdict : 'cannot-tell',
    band: speed.band,
    isAtLeast: false,
    latency: SHARES.flatMap((share) => latencyAt(record, share)),
    latencyRatio: isTimed ? delay.ratio : null,
    latencyVerdict: isTimed && failed === null ? delay.verdict : 'cannot-tell',
    latencyBand: delay.band,
    serverCpus: medianOf(ran, ({ serverCpus }) => serverCpus),
    generatorCpu: medianOf(ran, ({ generatorCpu }) => generatorCpu) ?? 0,
    limitedBecause: whyLimited(ran),
    answerBytes: medianOf(ran, ({ answerBytes }) => answerBytes),
    startMs: medianOf(ran, ({ startMs }) => startMs),
    errorRate: medianOf(ran, ({ errorRate }) => errorRate) ?? 0,
    firstError: ran.find(({ firstError }) => firstError !== null)?.firstError ?? null,
    timeouts: timeoutsOf(record, ran),
    failed,
  }
}

/**
 * What the generator spoils. Where it was the bottleneck there is no verdict. Where it and the server together used all CPUs, a
 * row may be faster than it looks: "faster" holds, and its ratio is a lower bound; "slower" and "same" do not. Rates follow from what
 * one process answered: where that was less than it can, nothing is said on latency at them.
 */
function doubt(cells: ServerCell[], { available }: Circumstances, cpus: number): ServerCell[] {
  const isSqueezed = ({ serverCpus, generatorCpu }: ServerCell) =>
    cpus + generatorCpu > available && (serverCpus ?? cpus) + generatorCpu > FULL * available
  const baseline = cells[0]
  const isBaselineSpoilt = baseline === undefined || baseline.limitedBecause !== null || isSqueezed(baseline)
  return cells.map((cell) => {
    const isAtLeast = isSqueezed(cell)
    if (cell === baseline) return { ...cell, isAtLeast }
    const isSpoilt = isBaselineSpoilt || cell.limitedBecause !== null || (isAtLeast && cell.verdict !== 'faster') // prettier-ignore
    const verdict: Verdict = isSpoilt ? 'cannot-tell' : cell.verdict
    const latencyVerdict: Verdict = isBaselineSpoilt ? 'cannot-tell' : cell.latencyVerdict
    return { ...cell, verdict, latencyVerdict, isAtLeast }
  })
}

function latencyAt({ latency }: RowRecord, share: number): ServerLatency[] {
  const trials = latency.filter((trial): trial is LatencyTrial => trial?.kind === 'latency')
  const runs = trials.flatMap(({ runs: all }) => all.filter((run) => run.share === share))
  if (runs.length === 0) return []
  const typical = (pick: (run: LatencyRun) => number | null) => medianOf(runs, pick)
  return [
    {
      ...{ share, rate: runs[0]!.rate, p50: typical(({ p50 }) => p50), p99: typical(({ p99 }) => p99) },
      errorRate: typical(({ errorRate }) => errorRate) ?? 0,
    },
  ]
}

function failureOf(record: RowRecord, ran: readonly SaturationTrial[]): string | null {
  if (ran.length === 0) {
    const reason = record.saturation.find((trial) => trial?.kind === 'failed')
    return reason?.kind === 'failed' ? reason.reason : 'it was not measured'
  }
  const errorRate = medianOf(ran, (trial) => trial.errorRate) ?? 0
  if (errorRate <= MAX_ERRORS) return null
  const first = ran.find(({ firstError }) => firstError !== null)?.firstError
  return `${Math.round(100 * errorRate)} % of its requests failed: ${first ?? 'no reason was given'}`
}

/** In half of the rounds or more. */
function whyLimited(ran: readonly SaturationTrial[]): string | null {
  const reasons = ran.flatMap(({ limitedBecause }) => limitedBecause ?? [])
  return reasons.length > 0 && reasons.length * 2 >= ran.length ? reasons[0]! : null
}

function timeoutsOf({ latency }: RowRecord, ran: readonly SaturationTrial[]): number {
  const runs = latency.flatMap((trial) => (trial?.kind === 'latency' ? trial.runs : []))
  return [...ran, ...runs].reduce((sum, { timeouts }) => sum + timeouts, 0)
}

function spread(samples: readonly (number | null)[]): ServerCell['throughput'] {
  const known = samples.filter((sample) => sample !== null)
  return { median: median(known), low: Math.min(...known), high: Math.max(...known) }
}

function medianOf<T>(list: readonly T[], pick: (item: T) => number | null): number | null {
  const known = list.flatMap((item) => pick(item) ?? [])
  return known.length === 0 ? null : median(known)
}

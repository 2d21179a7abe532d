// From what was seen of rows to verdicts: every row against one process on the first path, under the same limit.

import type { Decision } from '../decision/decide.js'
import { BAND } from '../decision/rules.js'
import type { Interval, Verdict } from '../results/result.js'
import type { ServerCell, ServerLatency } from '../results/server-result.js'
import { ascending, inParts, medianOrNull, spread } from '../stats/summary.js'
import type { LatencyRun, Saturation, ServerRow } from './server-trial.js'
import { promptnessOf } from './time-rows.js'

export interface Circumstances {
  /** False when the machine was unusable: then no row gets a verdict. */
  readonly usable: boolean
  /** CPUs that server and load generator have together. */
  readonly available: number
}

/** What was seen of one row. */
export interface SeenRow {
  readonly row: ServerRow
  /** What the decision knows of it; undefined for the baseline, and where too little was seen. */
  readonly result:
    | Pick<Decision['results'] extends ReadonlyMap<string, infer R> ? R : never, 'ratio' | 'verdict'>
    | undefined
  readonly failure: string | undefined
  /** Requests per second of its windows. */
  readonly rates: readonly number[]
  readonly saturations: readonly Saturation[]
  readonly latency: readonly LatencyRun[]
  readonly facts: Pick<ServerCell, 'enforcement' | 'answerBytes' | 'startMs' | 'connections'>
}

/** Above this share of all CPUs, server and generator take them from each other. */
const FULL = 0.92
/** A row whose requests fail more often measures something else. */
const MAX_ERRORS = 0.05
/** Windows show the moods of the machine; parts of the run show the throughput. */
const PARTS = 10

const ITSELF: Interval = { value: 1, low: 1, high: 1 }
const UNKNOWN: Interval = { value: NaN, low: NaN, high: NaN }

/** @param rows of one limit, the baseline first */
export function judgeRows(rows: readonly SeenRow[], circumstances: Circumstances): ServerCell[] {
  const [baseline] = rows
  const cells = rows.map((seen) => cellOf(seen, baseline!))
  const told = circumstances.usable ? cells : cells.map(withoutVerdict)
  return doubt(told, circumstances, baseline!.row.cpus)
}

function withoutVerdict(cell: ServerCell): ServerCell {
  return { ...cell, verdict: 'cannot-tell', noGain: false, latencyVerdict: 'cannot-tell' }
}

function cellOf(seen: SeenRow, baseline: SeenRow): ServerCell {
  const { row, result, rates, saturations, latency, facts } = seen
  const { name, way, path, instances, cpus } = row
  const isBaseline = seen === baseline
  const samples = inParts(rates, PARTS)
  const failed = failureOf(seen)
  const verdict = result === undefined || failed !== null ? 'cannot-tell' : result.verdict
  const delay = isBaseline
    ? { ratio: ITSELF, verdict: 'same' as Verdict }
    : promptnessOf(latency, baseline.latency)
  return {
    name,
    way,
    path,
    instances,
    cpus,
    ...facts,
    windows: rates.length,
    throughput: spread(samples),
    samples,
    ratio: isBaseline ? ITSELF : (result?.ratio ?? UNKNOWN),
    verdict: isBaseline ? 'same' : verdict === 'no-gain' ? 'cannot-tell' : verdict,
    noGain: verdict === 'no-gain',
    band: BAND,
    isAtLeast: false,
    latency: ascending(latency.map(({ share }) => share)).map((share) => latencyAt(latency, share)),
    latencyRatio: latency.length > 0 ? delay.ratio : null,
    latencyVerdict: failed === null && latency.length > 0 ? delay.verdict : 'cannot-tell',
    latencyBand: BAND,
    serverCpus: medianOf(saturations, ({ serverCpus }) => serverCpus),
    generatorCpu: medianOf(saturations, ({ generatorCpu }) => generatorCpu) ?? 0,
    limitedBecause: whyLimited(saturations),
    errorRate: medianOf(saturations, ({ errorRate }) => errorRate) ?? 0,
    firstError: saturations.find(({ firstError }) => firstError !== null)?.firstError ?? null,
    timeouts: [...saturations, ...latency].reduce((sum, { timeouts }) => sum + timeouts, 0),
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
    const isSpoilt =
      isBaselineSpoilt || cell.limitedBecause !== null || (isAtLeast && cell.verdict !== 'faster')
    const verdict: Verdict = isSpoilt ? 'cannot-tell' : cell.verdict
    const latencyVerdict: Verdict = isBaselineSpoilt ? 'cannot-tell' : cell.latencyVerdict
    return { ...cell, verdict, latencyVerdict, isAtLeast }
  })
}

function latencyAt(all: readonly LatencyRun[], share: number): ServerLatency {
  const runs = all.filter((run) => run.share === share)
  const typical = (pick: (run: LatencyRun) => number | null) => medianOf(runs, pick)
  const { rate, isCompared } = runs[0]!
  return {
    share,
    rate,
    isCompared,
    p50: typical(({ p50 }) => p50),
    p99: typical(({ p99 }) => p99),
    errorRate: typical(({ errorRate }) => errorRate) ?? 0,
  }
}

function failureOf({ failure, saturations, rates }: SeenRow): string | null {
  if (failure !== undefined) return failure
  if (rates.length === 0) return 'it was not measured: the time was up before, or the run was ended'
  const errorRate = medianOf(saturations, (seen) => seen.errorRate) ?? 0
  if (errorRate <= MAX_ERRORS) return null
  const first = saturations.find(({ firstError }) => firstError !== null)?.firstError
  return `${Math.round(100 * errorRate)} % of its requests failed: ${first ?? 'no reason was given'}`
}

/** In half of the windows or more. */
function whyLimited(saturations: readonly Saturation[]): string | null {
  const reasons = saturations.flatMap(({ limitedBecause }) => limitedBecause ?? [])
  return reasons.length > 0 && reasons.length * 2 >= saturations.length ? reasons[0]! : null
}

function medianOf<T>(list: readonly T[], pick: (item: T) => number | null): number | null {
  return medianOrNull(list.flatMap((item) => pick(item) ?? []))
}

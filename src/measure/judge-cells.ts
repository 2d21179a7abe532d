// From records to verdicts: every cell against inline of the same variant and CPU limit.

import { bootstrapRatio, logRatios } from './stats/bootstrap.js'
import { compareFamily, isBeaten, MINIMUM_ROUNDS, type Comparison } from './stats/compare.js'
import { noiseBand, type NoiseBand } from './stats/noise-band.js'
import { createRandom, type Random } from './stats/random.js'
import type { Cell, NoiseFacts, Settings } from './results/result.js'
import { throughputOf, type CellRecord } from './rounds.js'
import { errorRateOf, summarizeCell } from './summarize-cell.js'

/** Resamples of the interval that racing looks at: it needs no second decimal. */
const RACING_RESAMPLES = 1000

export interface Judged {
  /** All cells but the second inline ones, in the order of the plan. */
  readonly cells: Cell[]
  readonly bandOf: (variant: string, cpus: number) => NoiseBand
}

export interface Circumstances {
  readonly settings: Settings
  readonly noise: NoiseFacts
  readonly hostCpus: number
}

export function judgeCells(
  records: readonly CellRecord[],
  { settings, noise, hostCpus }: Circumstances,
  random: Random,
): Judged {
  const bands = new Map<string, NoiseBand>()
  const cells = new Map<CellRecord, Cell>()
  for (const [key, family] of families(records)) {
    const { inline, again, others } = family
    const reference = inline ? samplesOf(inline) : []
    const band = noiseBand(reference, again ? samplesOf(again) : [], random)
    bands.set(key, band)
    const usable = noise.verdict !== 'unusable'
    const comparisons = compareFamily(
      { inline: reference, cells: others.map(samplesOf), band, usable },
      random,
    )
    const shared = { band: band.delta, hostCpus, inlineErrorRate: inline ? errorRateOf(inline) : 0 }
    others.forEach((record, i) => {
      cells.set(record, summarizeCell(record, settings.rounds, { ...comparisons[i]!, ...shared }))
    })
    if (inline) cells.set(inline, summarizeCell(inline, settings.rounds, { ...itself, ...shared }))
  }
  return {
    cells: records.flatMap((record) => cells.get(record) ?? []),
    bandOf: (variant, cpus) => bands.get(keyOf(variant, cpus))!,
  }
}

/**
 * Racing: after the rounds that a verdict needs, a cell that cannot win any more is not measured further. The best cell
 * beside inline always is, so that its verdict is as good as it gets. With the goal `responsive` nothing is dropped, since
 * throughput alone does not decide there.
 */
export function isDecided(record: CellRecord, records: readonly CellRecord[], settings: Settings): boolean {
  const { cell } = record
  if (cell.executor === 'inline' || settings.goal.kind !== 'throughput') return false
  if (record.trials.length < MINIMUM_ROUNDS) return false
  const { inline, others } = families(records).get(keyOf(cell.variant, cell.cpus))!
  if (!inline) return false
  const distributions = others.map((other) => distributionOf(other, inline, settings.seed))
  const own = distributions[others.indexOf(record)]!
  // A cell that failed in every round has the value NaN, which is neither more nor less than any other.
  const best = distributions.reduce((a, b) => (b.value > a.value || Number.isNaN(a.value) ? b : a))
  return own !== best && isBeaten(own, best)
}

const itself: Pick<Comparison, 'ratio' | 'verdict'> = {
  ratio: { value: 1, low: 1, high: 1 },
  verdict: 'same',
}

interface Family {
  inline: CellRecord | undefined
  again: CellRecord | undefined
  others: CellRecord[]
}

function families(records: readonly CellRecord[]): Map<string, Family> {
  const byKey = new Map<string, Family>()
  for (const record of records) {
    const { variant, cpus, executor, uv, isAgain } = record.cell
    const key = keyOf(variant, cpus)
    const family = byKey.get(key) ?? { inline: undefined, again: undefined, others: [] }
    byKey.set(key, family)
    if (isAgain) family.again = record
    else if (executor === 'inline' && uv === null) family.inline = record
    else family.others.push(record)
  }
  return byKey
}

function distributionOf(record: CellRecord, inline: CellRecord, seed: number) {
  return bootstrapRatio(logRatios(samplesOf(record), samplesOf(inline)), createRandom(seed), RACING_RESAMPLES)
}

function samplesOf({ trials }: CellRecord): (number | null)[] {
  return Array.from(trials, throughputOf)
}

function keyOf(variant: string, cpus: number): string {
  return `${cpus} ${variant}`
}

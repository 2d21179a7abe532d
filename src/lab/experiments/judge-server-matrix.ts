// What lab matrix --server may conclude: at the largest limit, each number of threads against the fewest, in the same rounds.

import { compareFamily } from '../../measure/stats/compare.js'
import { noiseBand } from '../../measure/stats/noise-band.js'
import { createRandom } from '../../measure/stats/random.js'
import type { Interval, Verdict } from '../../measure/results/result.js'
import { median } from '../../measure/stats/summary.js'
import type { Saturation } from '../../measure/server/server-trial.js'
import { AGAIN } from '../runner/judge-worth.js'
import { nameLimit, plural } from '../runner/wording.js'

/** One combination, and what its rounds gave. */
export interface MatrixSpot {
  readonly threads: number
  readonly cpus: number
  /** The second measurement of the fewest threads at the largest limit: how much two equal spots differ. */
  readonly isAgain: boolean
  readonly trials: Saturation[]
  failed: string | null
}

export interface Circumstances {
  /** CPUs that server and load generator have together. */
  readonly available: number
  /** False when the machine was too busy: then there is no verdict. */
  readonly usable: boolean
}

/** Above this share of all CPUs, server and load take them from each other. */
const FULL = 0.92
/** A gain below is within what two equal rows differ by. */
const NOTICEABLE = 1.05

/** The load generator was the bottleneck, in half of the rounds or more. */
export function isLimited({ trials }: MatrixSpot): boolean {
  const limited = trials.filter(({ limitedBecause }) => limitedBecause !== null)
  return limited.length > 0 && 2 * limited.length >= trials.length
}

/** It and the server used all CPUs together, so that the server could answer more. */
export function isSqueezed({ cpus, trials }: MatrixSpot, available: number): boolean {
  if (trials.length === 0) return false
  const generator = median(trials.map(({ generatorCpu }) => generatorCpu))
  const used = median(trials.map(({ serverCpus }) => serverCpus ?? cpus))
  return cpus + generator > available && used + generator > FULL * available
}

/** @param spots with the second measurement, if there is one: without it the noise band is its minimum */
export function judgeServerMatrix(spots: readonly MatrixSpot[], circumstances: Circumstances): string {
  const largest = Math.max(...spots.map(({ cpus }) => cpus))
  const there = spots.filter(({ cpus, isAgain }) => cpus === largest && !isAgain)
  const least = Math.min(...there.map(({ threads }) => threads))
  const baseline = there.find(({ threads }) => threads === least)
  const others = there.filter((spot) => spot !== baseline)
  if (!baseline || !isMeasured(baseline) || !others.some(isMeasured)) return 'Nothing could be compared.'
  const at = `Behind an HTTP server at ${nameLimit(largest)}`
  const fewest = plural(least, 'thread')
  if (isLimited(baseline)) return `${at}: cannot tell, the load generator was the bottleneck for ${fewest}.`
  if (isSqueezed(baseline, circumstances.available))
    return `${at}: cannot tell, the load generator took CPU time from ${fewest}.`
  const known = others.filter((spot) => isMeasured(spot) && !isLimited(spot))
  if (known.length === 0) return `${at}: cannot tell, the load generator was the bottleneck for more than ${fewest}.` // prettier-ignore
  const again = spots.find(({ isAgain }) => isAgain)
  const compared = compare({ baseline, again, known }, circumstances)
  const untold = others.filter((spot) => !compared.some(({ size, isAtLeast, verdict }) => size === spot.threads && (!isAtLeast || verdict === 'faster'))) // prettier-ignore
  return sentenceFor({ at, fewest, compared, untold })
}

function isMeasured({ failed, trials }: MatrixSpot): boolean {
  return failed === null && trials.length > 0
}

interface Compared {
  readonly size: number
  readonly ratio: Interval
  readonly verdict: Verdict
  readonly isAtLeast: boolean
}

interface Spots {
  readonly baseline: MatrixSpot
  readonly again: MatrixSpot | undefined
  readonly known: readonly MatrixSpot[]
}

/** Where the load took CPU time from a spot, "faster" holds, as a lower bound; "slower" and "same" do not. */
function compare({ baseline, again, known }: Spots, { available, usable }: Circumstances): Compared[] {
  const random = createRandom(1)
  const samplesOf = ({ trials }: MatrixSpot) => trials.map(({ throughput }) => throughput)
  const inline = samplesOf(baseline)
  const band = noiseBand(inline, again ? samplesOf(again) : [], random)
  const comparisons = compareFamily({ inline, cells: known.map(samplesOf), band, usable }, random)
  return comparisons.map(({ ratio, verdict }, index) => {
    const spot = known[index]!
    const isAtLeast = isSqueezed(spot, available)
    const told = isAtLeast && verdict !== 'faster' ? 'cannot-tell' : verdict
    return { size: spot.threads, ratio, verdict: told, isAtLeast }
  })
}

interface Findings {
  readonly at: string
  readonly fewest: string
  readonly compared: readonly Compared[]
  /** Those that the load spoilt, or that failed. */
  readonly untold: readonly MatrixSpot[]
}

function sentenceFor({ at, fewest, compared, untold }: Findings): string {
  const faster = compared.filter(({ verdict }) => verdict === 'faster')
  const top = (faster.length > 0 ? faster : compared).reduce((a, b) => (b.ratio.value > a.ratio.value * NOTICEABLE ? b : a)) // prettier-ignore
  const { value, low, high } = top.ratio
  if (![value, low, high].every(Number.isFinite))
    return `${at}: cannot tell, as there was only one round; ${AGAIN}.`
  const times = `${top.isAtLeast ? 'at least ' : ''}${value.toFixed(2)} times`
  const figure = `a pool of ${plural(top.size, 'thread')} answers ${times} the requests of ${fewest} (95 % interval ${low.toFixed(2)} to ${high.toFixed(2)})`
  if (top.verdict === 'faster') return `${at}, ${figure}.`
  if (compared.some(({ verdict, isAtLeast }) => verdict === 'cannot-tell' && !isAtLeast))
    return `${at}: cannot tell, ${figure}; ${AGAIN}.`
  const rest = untold.map(({ threads }) => plural(threads, 'thread')).join(' and ')
  if (untold.length > 0) return `${at}: cannot tell, ${figure}, and ${rest} could not be judged, see below.`
  return `${at}, more than ${fewest} gains nothing: ${figure}.`
}

// The same work in several ways, in a page: how much faster each is than the first, and how long the page stood still.

import { checkCount, checkNames, checkOption, optionNames, ownOptions } from '../../errors/check-options.js'
import { normalQuantile } from '../stats/normal-quantile.js'
import { MIN_PAIRS, logRatio } from '../stats/ratio-estimator.js'
import { median } from '../stats/summary.js'
import { nextFrame, watchFrames } from './frames.js'

/** Options of {@link measure}. */
export interface PageMeasureOptions {
  /** How often each way runs, from 4 to 1000, after once that is not counted. More make the interval narrower. Default 10. */
  readonly rounds?: number
}

/** What {@link measure} found out about one way. */
export interface PageWay {
  /** Its key in the argument of `measure`. */
  readonly name: string
  /** Milliseconds that a run takes: the median. */
  readonly ms: number
  /** Milliseconds of the longest wait between two frames in a run: the median of the runs. */
  readonly worstFrameMs: number
  /** How many times as fast as the first way, with an interval of 95 %. The first one has none, and none is known where a run is too short for the clock. */
  readonly speedup?: { readonly ratio: number; readonly low: number; readonly high: number }
}

/** What {@link measure} gives. */
export interface PageMeasurement {
  /** In the order of the argument. */
  readonly ways: readonly PageWay[]
  /**
   * A line for each way but the first: "workers: 1.8x (1.6 to 2.0), worst frame gap 19 ms instead of 146". It says so where the work is too short to be
   * measured.
   */
  readonly text: string
  /** The same for readers who know no intervals, a sentence for each: "workers: no faster on this machine, but the page stands still for 19 ms instead of 146." */
  readonly sentences: readonly string[]
}

interface Run {
  readonly ms: number
  readonly worstFrameMs: number
}

const OPTIONS = optionNames('rounds')
const MAX_ROUNDS = 1000
/** A run of so many steps of the clock is known to 5 %. */
const MIN_STEPS = 20
/** A clock that a test has stopped never goes on. */
const MAX_LOOKS = 1e6
const DEVIATIONS = normalQuantile(0.975)

/**
 * Runs the same work in several ways, in turn, and compares them in the page that is open: with its data, on this machine. In each round each
 * way runs once, forwards and backwards in turn, so that what slows the machine meets all of them. Between two runs a frame is drawn.
 *
 * @param ways name -> the work; the first one is what the others are compared with
 * @throws TW_ERR_INVALID_OPTION; TW_ERR_INVALID_CALL where no frames are drawn; and what a way throws
 * @example
 * const { text } = await measure({ inline: () => filters.blur(picture), workers: () => pool.tasks.blur(picture) })
 * // "workers: 1.8x (1.6 to 2.0), worst frame gap 19 ms instead of 146"
 */
export async function measure(
  ways: Readonly<Record<string, () => unknown>>,
  options: PageMeasureOptions = {},
): Promise<PageMeasurement> {
  const { rounds = 10 } = ownOptions(options)
  const each = Object.entries(ways)
  const areFunctions = each.length >= 2 && each.every(([, way]) => typeof way === 'function')
  checkOption(areFunctions, 'the first argument of measure()', 'two functions or more, by name', ways)
  checkNames(options, OPTIONS)
  checkCount('rounds', rounds, MAX_ROUNDS, MIN_PAIRS)
  const runs = new Map<string, Run[]>(each.map(([name]) => [name, []]))
  for (const [, way] of each) await runOnce(way)
  for (let round = 0; round < rounds; round++) {
    for (const [name, way] of round % 2 === 0 ? each : [...each].reverse())
      runs.get(name)!.push(await runOnce(way))
  }
  return compare(runs)
}

async function runOnce(way: () => unknown): Promise<Run> {
  await nextFrame()
  const stop = watchFrames()
  try {
    const since = performance.now()
    await way()
    const ms = performance.now() - since
    await nextFrame()
    return { ms, worstFrameMs: stop() }
  } finally {
    stop()
  }
}

function compare(runs: ReadonlyMap<string, readonly Run[]>): PageMeasurement {
  const [base] = runs.values()
  const ways = [...runs].map(([name, own]): PageWay => {
    const ms = median(own.map((run) => run.ms))
    const way = { name, ms, worstFrameMs: median(own.map((run) => run.worstFrameMs)) }
    const speedup = own === base ? undefined : speedupOf(own, base!)
    return speedup ? { ...way, speedup } : way
  })
  const [first, ...others] = ways
  const text = others.map((way) => lineOf(way, first!)).join('\n')
  return { ways, text, sentences: others.map((way) => sentenceOf(way, first!)) }
}

/** The work is the same, so its rate is one a run. */
function speedupOf(own: readonly Run[], base: readonly Run[]): PageWay['speedup'] {
  const shortest = MIN_STEPS * stepOfClock()
  if ([own, base].some((runs) => median(runs.map(({ ms }) => ms)) < shortest)) return undefined
  const pairs = own.map((run, i) => ({ rate: 1 / run.ms, base: 1 / base[i]!.ms }))
  const found = logRatio(pairs)
  if (!found || !Number.isFinite(found.value + found.variance)) return undefined
  const { value, variance } = found
  const distance = DEVIATIONS * Math.sqrt(variance)
  return { ratio: Math.exp(value), low: Math.exp(value - distance), high: Math.exp(value + distance) }
}

function lineOf({ name, worstFrameMs, speedup }: PageWay, first: PageWay): string {
  const gap = `worst frame gap ${Math.round(worstFrameMs)} ms instead of ${Math.round(first.worstFrameMs)}`
  if (!speedup) return `${name}: too short to measure, let each run do more; ${gap}`
  const { ratio, low, high } = speedup
  const times = `${ratio.toFixed(1)}x (${low.toFixed(1)} to ${high.toFixed(1)})`
  return `${name}: ${times}, ${gap}`
}

function sentenceOf({ name, worstFrameMs, speedup }: PageWay, first: PageWay): string {
  const [gap, before] = [Math.round(worstFrameMs), Math.round(first.worstFrameMs)]
  if (!speedup) return `${name}: too short to be measured. Let each run do more.`
  const times = `${name}: ${inWords(speedup, first.name)} on this machine`
  if (gap < before)
    return `${times}, ${speedup.low > 1 ? 'and' : 'but'} the page stands still for ${gap} ms instead of ${before}.`
  return `${times}, and the page stands still as long.`
}

function inWords({ ratio, low, high }: NonNullable<PageWay['speedup']>, than: string): string {
  if (low > 1) return `${ratio.toFixed(1)} times as fast as ${than}`
  if (high < 1) return `takes ${(1 / ratio).toFixed(1)} times as long as ${than}`
  return 'no faster'
}

/** Milliseconds: browsers make it coarse, 0.005 to 1. */
function stepOfClock(): number {
  let step = Infinity
  for (let i = 0; i < 5; i++) {
    const since = performance.now()
    let now = since
    for (let looks = 0; now === since && looks < MAX_LOOKS; looks++) now = performance.now()
    if (now > since) step = Math.min(step, now - since)
  }
  return step === Infinity ? 1 : step
}

// The options of scaling: how many instances there may be, and at which load there is one more or less. Their defaults, and the checks.

import { cpuBudget } from '../../cpu/cpu-budget.js'
import { mostWorkers } from '../../cpu/most-workers.js'
import { checkOption } from '../../errors/check-options.js'
import type { ServeOptions } from './options.js'

export interface ScalingSettings {
  readonly min: number
  readonly max: number
  /** Shares of time, 0 to 1: of all instances together. */
  readonly up: number
  readonly down: number
  /** With more open requests in each instance there is too much to do, however busy the event loops are. Infinity: not counted. */
  readonly queue: number
  /** Between two looks, in milliseconds. */
  readonly everyMs: number
}

const SCALE_OPTIONS = ['scaleUp', 'scaleDown', 'scaleQueue', 'scaleInterval'] as const
type ScalingOptions = Pick<ServeOptions, 'min' | 'max' | (typeof SCALE_OPTIONS)[number]>

/** What the machine holds, and how to say that. */
export const mostInstances = () => mostWorkers('process')

const MIN_INTERVAL_MS = 100
const MAX_INTERVAL_MS = 3_600_000

/** @throws TW_ERR_INVALID_OPTION */
export function resolveScaling(options: ScalingOptions): ScalingSettings | null {
  const { min, max, scaleUp = 0.8, scaleDown = 0.3, scaleQueue, scaleInterval = 5000 } = options
  if (min === undefined && max === undefined) {
    for (const option of SCALE_OPTIONS) {
      checkOption(options[option] === undefined, option, 'left out without min or max', options[option])
    }
    return null
  }
  const highest = max === undefined || max === 'max' ? wholeCpus() : max
  checkOption(isCount(highest), 'max', `a whole number from 1 to ${mostInstances().text}, or "max"`, max)
  const lowest = min === undefined ? 1 : min
  const isMin = isCount(lowest) && lowest <= highest
  checkOption(isMin, 'min', `a whole number from 1 to max, which is ${highest}`, min)
  const isShare = (value: unknown) => typeof value === 'number' && value > 0 && value <= 1
  checkOption(isShare(scaleUp), 'scaleUp', 'a number above 0, up to 1', scaleUp)
  const isDown = isShare(scaleDown) && scaleDown < scaleUp
  checkOption(isDown, 'scaleDown', `a number above 0, below scaleUp, which is ${scaleUp}`, scaleDown)
  const isQueue = scaleQueue === undefined || (Number.isFinite(scaleQueue) && scaleQueue > 0)
  checkOption(isQueue, 'scaleQueue', 'a number of requests above 0', scaleQueue)
  const isInterval =
    typeof scaleInterval === 'number' && scaleInterval >= MIN_INTERVAL_MS && scaleInterval <= MAX_INTERVAL_MS
  const expected = `a number of milliseconds from ${MIN_INTERVAL_MS} to ${MAX_INTERVAL_MS}`
  checkOption(isInterval, 'scaleInterval', expected, scaleInterval)
  const queue = scaleQueue ?? Infinity
  return { min: lowest, max: highest, up: scaleUp, down: scaleDown, queue, everyMs: scaleInterval }
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= mostInstances().count
}

/**
 * A number that was not asked for as such (`max`, or what was measured), brought within `min` and `max`.
 *
 * @example clampInstances(8, { min: 1, max: 2, up: 0.8, down: 0.3, queue: Infinity, everyMs: 5000 }) // 2
 */
export function clampInstances(instances: number, scaling: ScalingSettings | null): number {
  return scaling === null ? instances : Math.min(scaling.max, Math.max(scaling.min, instances))
}

/** Rounded down: an instance more than there are CPUs would make all of them slower, not one faster. */
export function wholeCpus(): number {
  return Math.min(mostInstances().count, Math.max(1, Math.floor(cpuBudget().cpus)))
}

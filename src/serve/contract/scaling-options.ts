// The options of scaling: how many instances there may be, and at which load there is one more or less.

import { cpuBudget } from '../../cpu/cpu-budget.js'
import { mostWorkers } from '../../cpu/most-workers.js'
import { checkOption } from '../../errors/check-options.js'
import { isShare, valueOf } from './option-table.js'
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

/** @throws TW_ERR_INVALID_OPTION */
export function resolveScaling(options: ScalingOptions): ScalingSettings | null {
  const { min, max } = options
  if (min === undefined && max === undefined) {
    for (const option of SCALE_OPTIONS) {
      checkOption(options[option] === undefined, option, 'left out without min or max', options[option])
    }
    return null
  }
  const highest = max === undefined || max === 'max' ? defaultInstances() : max
  checkOption(isCount(highest), 'max', `a whole number from 1 to ${mostInstances().text}, or "max"`, max)
  const lowest = valueOf(options, 'min')
  const isMin = isCount(lowest) && lowest <= highest
  checkOption(isMin, 'min', `a whole number from 1 to max, which is ${highest}`, min)
  const up = valueOf(options, 'scaleUp')
  const down = valueOf(options, 'scaleDown')
  const { scaleDown, scaleQueue: queue = Infinity } = options
  const isDown = isShare(down) && down < up
  checkOption(isDown, 'scaleDown', `a number above 0, below scaleUp, which is ${up}`, scaleDown)
  return { min: lowest, max: highest, up, down, queue, everyMs: valueOf(options, 'scaleInterval') }
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
export function defaultInstances(): number {
  return Math.min(mostInstances().count, Math.max(1, Math.floor(cpuBudget().cpus)))
}

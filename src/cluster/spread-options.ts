// The options that say how many instances there are by rule, and which of them gets a connection: their defaults, and the checks.

import { cpuBudget } from '../cpu/cpu-budget.js'
import { checkOption } from '../errors.js'
import { isCookieName } from './cookie-search.js'
import type { ServeOptions } from './options.js'
import { reusePortProblem } from './reuse-port.js'
import type { ScalingSettings } from './scaling-rule.js'

export interface ResolvedSpread {
  /** Null: connections go in turn. Cookie null: by address. */
  readonly stickyBy: { readonly cookie: string | null } | null
  readonly reusePort: boolean
  /** Null: there are as many as `instances` says. */
  readonly scaling: ScalingSettings | null
}

const MOST_INSTANCES = 1024
const LEAST_INTERVAL_MS = 100
const MOST_INTERVAL_MS = 3_600_000

/** @throws TW_ERR_INVALID_OPTION */
export function resolveSpread(options: ServeOptions): ResolvedSpread {
  const { sticky, reusePort = false } = options
  checkOption(typeof reusePort === 'boolean', 'reusePort', 'true or false', reusePort)
  const stickyBy = resolveSticky(sticky)
  checkOption(
    stickyBy === null || !reusePort,
    'sticky',
    'left out beside reusePort, where the kernel decides',
    sticky,
  )
  const problem = reusePort ? reusePortProblem() : null
  checkOption(problem === null, 'reusePort', `left out: ${problem}`, reusePort)
  return { stickyBy, reusePort, scaling: resolveScaling(options) }
}

/** @throws TW_ERR_INVALID_OPTION */
function resolveSticky(sticky: unknown): ResolvedSpread['stickyBy'] {
  if (sticky === undefined) return null
  if (sticky === 'address') return { cookie: null }
  const [, name = ''] = /^cookie=(.*)$/s.exec(String(sticky)) ?? []
  const expected = '"address", or "cookie=NAME" with a name of letters, digits and any of !#$%&\'*+-.^_`|~'
  checkOption(typeof sticky === 'string' && isCookieName(name), 'sticky', expected, sticky)
  // There a read that has begun cannot be taken back.
  checkOption(process.platform !== 'win32', 'sticky', '"address" on Windows', sticky)
  return { cookie: name }
}

const RULES = ['scaleUp', 'scaleDown', 'scaleQueue', 'scaleInterval'] as const
type ScalingOptions = Pick<ServeOptions, 'min' | 'max' | (typeof RULES)[number]>

/**
 * A number that was not asked for as such (`max`, or what was measured), within what the rule allows.
 *
 * @example cutToRule(8, { min: 1, max: 2, up: 0.8, down: 0.3, queue: Infinity, everyMs: 5000 }) // 2
 */
export function cutToRule(instances: number, scaling: ScalingSettings | null): number {
  return scaling === null ? instances : Math.min(scaling.max, Math.max(scaling.min, instances))
}

/** @throws TW_ERR_INVALID_OPTION */
export function resolveScaling(options: ScalingOptions): ScalingSettings | null {
  const { min, max, scaleUp = 0.8, scaleDown = 0.3, scaleQueue, scaleInterval = 5000 } = options
  if (min === undefined && max === undefined) {
    for (const option of RULES) {
      checkOption(options[option] === undefined, option, 'left out without min or max', options[option])
    }
    return null
  }
  const most = max === undefined || max === 'max' ? Math.max(1, Math.floor(cpuBudget().cpus)) : max
  checkOption(isCount(most), 'max', `a whole number from 1 to ${MOST_INSTANCES}, or "max"`, max)
  const least = min === undefined ? 1 : min
  checkOption(isCount(least) && least <= most, 'min', `a whole number from 1 to max, which is ${most}`, min)
  const isShare = (value: unknown) => typeof value === 'number' && value > 0 && value <= 1
  checkOption(isShare(scaleUp), 'scaleUp', 'a number above 0, up to 1', scaleUp)
  const isDown = isShare(scaleDown) && scaleDown < scaleUp
  checkOption(isDown, 'scaleDown', `a number above 0, below scaleUp, which is ${scaleUp}`, scaleDown)
  const isQueue = scaleQueue === undefined || (Number.isFinite(scaleQueue) && scaleQueue > 0)
  checkOption(isQueue, 'scaleQueue', 'a number of requests above 0', scaleQueue)
  const isInterval =
    typeof scaleInterval === 'number' &&
    scaleInterval >= LEAST_INTERVAL_MS &&
    scaleInterval <= MOST_INTERVAL_MS
  const expected = `a number of milliseconds from ${LEAST_INTERVAL_MS} to ${MOST_INTERVAL_MS}`
  checkOption(isInterval, 'scaleInterval', expected, scaleInterval)
  const queue = scaleQueue ?? Infinity
  return { min: least, max: most, up: scaleUp, down: scaleDown, queue, everyMs: scaleInterval }
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_INSTANCES
}

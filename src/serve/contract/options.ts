// The options of a service: what they mean, their defaults, and the checks.

import type { ChildProcess } from 'node:child_process'
import { statSync } from 'node:fs'
import { basename, extname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cpuBudget } from '../../cpu/cpu-budget.js'
import { checkNames, checkOption, optionNames } from '../../errors/check-options.js'
import type { ServeEvent } from './events.js'
import type { ScalingSettings } from './scaling-rule.js'
import { isCookieName } from '../sticky/cookie-search.js'
import { reusePortProblem } from './reuse-port.js'

/** Options of {@link serve}; all times are in milliseconds. */
export interface ServeOptions {
  /** Number of instances, or `max`: the CPU budget rounded down, at least 1. Default `max`. */
  instances?: number | 'max'
  /** For `threadwise list` and the like: letters, digits, `.`, `_` and `-`, at most 40. Default: the file's name without its ending. */
  name?: string
  /** What instances get as process.argv after the file. Default none. */
  args?: string[]
  /** Variables for instances, besides those of this process. Default none. */
  env?: Record<string, string | undefined>
  /** Options of Node for instances. Default: those of this process. */
  execArgv?: string[]
  /** How long requests have to end before SIGTERM, and again the instance before SIGKILL. Default 10000. */
  grace?: number
  /** How long an instance has to become ready. Default 30000. */
  readyTimeout?: number
  /** An instance is ready only after process.send('ready'). Default false. */
  waitReady?: boolean
  /** An instance is ready only when its own GET of this path answers with a status of 2xx. Default none. */
  health?: string
  /** An instance that does not answer a question to its event loop for so long is replaced. Default: none is asked. */
  hangTimeout?: number
  /** An instance that holds more memory is replaced: bytes, or a size such as `'300m'` or `'1g'`. Default: no limit. */
  maxMemory?: number | string
  /** An instance is replaced after so many requests, and up to a tenth more, so that not all are at once. Default: no limit. */
  maxRequests?: number
  /**
   * `'address'`: all connections of an address go to the same instance, as long as it serves. `'cookie=NAME'`: all whose first request
   * has the same cookie of this name, over HTTP/1.1 without TLS; not on Windows. Default: to each in turn.
   */
  sticky?: 'address' | `cookie=${string}`
  /** Instances listen by themselves, and the kernel spreads connections; Node 22.12 or later, not on macOS and Windows. Default false. */
  reusePort?: boolean
  /** With it or `max` the number of instances follows the load, from `min` on. Default 1. */
  min?: number
  /** The most instances, or `max`: the CPU budget rounded down. Default `max`. */
  max?: number | 'max'
  /** One more when their event loops are busy for this share of the time, on average. Default 0.8. */
  scaleUp?: number
  /** One less when they are busy for less. Default 0.3. */
  scaleDown?: number
  /** One more, too, when more requests than this are open in each instance, on average; one less only below. Default: not looked at. */
  scaleQueue?: number
  /** Between two looks at the load. Default 5000. */
  scaleInterval?: number
  /** Called with what happens, for a log. Default none. */
  onEvent?: (event: ServeEvent) => void
}

const SERVE_OPTIONS = optionNames(
  'instances name args env execArgv grace readyTimeout waitReady health hangTimeout maxMemory maxRequests sticky ' +
    'reusePort min max scaleUp scaleDown scaleQueue scaleInterval onEvent',
)

export interface ResolvedServe extends ResolvedSpread {
  readonly file: string
  readonly name: string
  readonly instances: number
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly execArgv: readonly string[]
  readonly graceMs: number
  readonly readyTimeoutMs: number
  readonly waitReady: boolean
  readonly health: string | null
  readonly hangTimeoutMs: number | null
  readonly maxMemory: number | null
  readonly maxRequests: number | null
  readonly onEvent: (event: ServeEvent) => void
  /** Takes the output of each instance; only the command line sets it. */
  readonly collect?: (instance: number, child: ChildProcess) => void
}

const MAX_INSTANCES = 1024
const MAX_MS = 86_400_000
/** Below, a garbage collection on a busy machine would look like a hang. */
const LEAST_HANG_MS = 500
/** Less than Node itself takes. */
const LEAST_MEMORY = 32 * 1024 ** 2

/** @throws TW_ERR_INVALID_OPTION */
export function resolveServeOptions(file: string | URL, options: ServeOptions): ResolvedServe {
  const path = resolveFile(file)
  checkOption(typeof options === 'object' && options !== null, 'options', 'an object', options)
  checkNames(options, SERVE_OPTIONS)
  const { name = nameOf(path), args = [], env = {}, execArgv = process.execArgv } = options
  const { grace = 10_000, readyTimeout = 30_000, waitReady = false, health, onEvent = ignore } = options
  const spread = resolveSpread(options)
  checkName(name)
  checkWords('args', args)
  checkWords('execArgv', execArgv)
  checkOption(typeof env === 'object' && env !== null, 'env', 'an object of variables', env)
  checkMs('grace', grace)
  checkMs('readyTimeout', readyTimeout)
  checkOption(typeof waitReady === 'boolean', 'waitReady', 'true or false', waitReady)
  const isPath = health === undefined || (typeof health === 'string' && /^\/[!-~]*$/.test(health))
  checkOption(isPath, 'health', 'a path that begins with /', health)
  checkOption(typeof onEvent === 'function', 'onEvent', 'a function', onEvent)
  return {
    ...{ file: path, name, args, env, execArgv, waitReady, onEvent, health: health ?? null },
    ...{ ...resolveLimits(options), ...spread },
    ...{
      instances: countOf(options.instances, spread.scaling),
      graceMs: grace,
      readyTimeoutMs: readyTimeout,
    },
  }
}

/** When an instance is replaced although it runs. */
function resolveLimits({ hangTimeout, maxMemory, maxRequests }: ServeOptions) {
  const isHang = hangTimeout === undefined || (Number(hangTimeout) >= LEAST_HANG_MS && isMs(hangTimeout))
  checkOption(
    isHang,
    'hangTimeout',
    `a number of milliseconds from ${LEAST_HANG_MS} to ${MAX_MS}`,
    hangTimeout,
  )
  const isCount = maxRequests === undefined || (Number.isSafeInteger(maxRequests) && maxRequests >= 1)
  checkOption(isCount, 'maxRequests', 'a whole number from 1', maxRequests)
  const bytes = maxMemory === undefined ? null : bytesOf(maxMemory)
  const isSize = bytes === null || bytes >= LEAST_MEMORY
  checkOption(
    isSize,
    'maxMemory',
    'a number of bytes, or a size such as "300m" or "1g", of at least 32m',
    maxMemory,
  )
  return { hangTimeoutMs: hangTimeout ?? null, maxMemory: bytes, maxRequests: maxRequests ?? null }
}

/** NaN when it is no size. */
export function bytesOf(size: unknown): number {
  if (typeof size === 'number') return Number.isFinite(size) ? size : NaN
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)([kmg]?)b?$/i.exec(String(size)) ?? []
  return Number(count) * 1024 ** ['', 'k', 'm', 'g'].indexOf(unit.toLowerCase())
}

/** @throws TW_ERR_INVALID_OPTION */
export function checkInstances(
  instances: unknown,
  scaling: ScalingSettings | null = null,
): asserts instances is number {
  const { min, max } = scaling ?? { min: 1, max: MAX_INSTANCES }
  const isCount = Number.isInteger(instances) && Number(instances) >= min && Number(instances) <= max
  checkOption(isCount, 'instances', `a whole number from ${min} to ${max}, or "max"`, instances)
}

/** @throws TW_ERR_INVALID_OPTION */
export function checkName(name: unknown): asserts name is string {
  const isName = typeof name === 'string' && /^[A-Za-z0-9_][\w.-]{0,39}$/.test(name)
  checkOption(isName, 'name', 'at most 40 letters, digits, ".", "_" and "-"', name)
}

/** Rounded down: an instance more than there are CPUs would make all of them slower, not one faster. */
function countOf(instances: unknown, scaling: ScalingSettings | null): number {
  const isMax = instances === 'max' || (instances === undefined && scaling === null)
  const count = isMax ? cutToRule(Math.max(1, Math.floor(cpuBudget().cpus)), scaling) : instances
  const wanted = count === undefined ? scaling?.min : count
  checkInstances(wanted, scaling)
  return wanted
}

/** Links are not followed here, so that a reload starts what they lead to by then. */
function resolveFile(file: unknown): string {
  const isPath =
    (typeof file === 'string' && file !== '') || (file instanceof URL && file.protocol === 'file:')
  checkOption(isPath, 'file', 'a path or a file: URL', file)
  const path =
    file instanceof URL || /^file:/.test(String(file)) ? fileURLToPath(file as URL) : resolve(String(file))
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true
  checkOption(isFile, 'file', 'a file that exists', path)
  return path
}

function nameOf(path: string): string {
  const bare = basename(path, extname(path))
    .replace(/[^\w.-]/g, '-')
    .slice(0, 40)
  return /^\w/.test(bare) ? bare : 'server'
}

function checkWords(option: string, words: unknown): void {
  const isList = Array.isArray(words) && words.every((word) => typeof word === 'string')
  checkOption(isList, option, 'a list of strings', words)
}

function checkMs(option: string, value: unknown): void {
  checkOption(isMs(value), option, `a number of milliseconds above 0, up to ${MAX_MS}`, value)
}

function isMs(value: unknown): boolean {
  return typeof value === 'number' && value > 0 && value <= MAX_MS
}

function ignore(): void {}

// The options that say how many instances there are by rule, and which of them gets a connection: their defaults, and the checks.

export interface ResolvedSpread {
  /** Null: connections go in turn. Cookie null: by address. */
  readonly stickyBy: { readonly cookie: string | null } | null
  readonly reusePort: boolean
  /** Null: there are as many as `instances` says. */
  readonly scaling: ScalingSettings | null
}

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
  checkOption(isCount(most), 'max', `a whole number from 1 to ${MAX_INSTANCES}, or "max"`, max)
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
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_INSTANCES
}

// The options of a load run: what they mean, their defaults, and the checks.

import {
  checkCount,
  checkFunction,
  checkNames,
  checkObject,
  checkOption,
  checkSignal,
  optionNames,
  ownOptions,
} from '../../errors/check-options.js'
import type { LoadSettings } from '../results/load-result.js'
import { createTarget, type Target } from './target.js'

/** Options of {@link load}; all times are in seconds. */
export interface LoadOptions {
  /** Requests per second that are due, whatever the server does: an open loop. Without it the loop is closed. */
  rate?: number
  /** With `rate`: due at random, independent times (a Poisson process), as from many users. Default: even spacing. */
  poisson?: boolean
  /** At most this many connections. Default: 10, or 100 with `rate`, where each is opened when it is needed. */
  connections?: number
  /** Requests that each connection of a closed loop sends ahead of the answers. Default 1. */
  pipelining?: number
  /** Ends after so many requests. Default: after `duration`. */
  requests?: number
  /** Measured seconds. Default 10, and with `requests` as long as these take. */
  duration?: number
  /** Seconds of load before that, which do not count. Default 1, and 0 with `requests`. */
  warmup?: number
  /** Seconds after which a request is given up: while it waits for a connection, and again for its answer. Default 10. */
  timeout?: number
  /** Default `GET`, or `POST` with a body. */
  method?: string
  /** Besides Host, User-Agent and what describes the body. */
  headers?: Record<string, string | string[]>
  body?: string | Uint8Array
  /** Path of a Unix socket to connect to, in place of the host of the URL. */
  socket?: string
  /** Accept any certificate of the server, also a forged one. Default false. */
  insecure?: boolean
  /** Ends the run early; the promise resolves with what there is. */
  signal?: AbortSignal
  /** Called about four times a second. */
  onProgress?: (progress: LoadProgress) => void
}

const LOAD_OPTIONS = optionNames(
  'rate poisson connections pipelining requests duration warmup timeout method headers body socket insecure signal onProgress',
)

/** How far a load run is. */
export interface LoadProgress {
  /** Since the start, in seconds, and how long warm-up and measured time take together. */
  elapsed: number
  total: number
  isWarmup: boolean
  /** So far, warm-up included. */
  answers: number
  failures: number
}

export interface ResolvedLoad {
  readonly target: Target
  readonly settings: Readonly<LoadSettings>
  readonly signal: AbortSignal | undefined
  readonly onProgress: ((progress: LoadProgress) => void) | undefined
}

const MAX_RATE = 1_000_000
const MAX_CONNECTIONS = 10_000
const MAX_PIPELINING = 1000
const MAX_REQUESTS = 1e9
const MAX_SECONDS = 86_400

/** @throws TW_ERR_INVALID_OPTION */
export function resolveLoadOptions(url: string | URL, given: LoadOptions): ResolvedLoad {
  checkObject('options', given)
  const options = ownOptions(given)
  checkNames(options, LOAD_OPTIONS)
  const { rate, poisson = false, connections, pipelining = 1 } = options
  const { requests, timeout = 10 } = options
  const { duration = requests === undefined ? 10 : MAX_SECONDS, warmup = requests === undefined ? 1 : 0 } =
    options
  const isRate = rate === undefined || (isNumber(rate) && rate > 0 && rate <= MAX_RATE)
  checkOption(isRate, 'rate', `a number of requests per second above 0, up to ${MAX_RATE}`, rate)
  checkOption(typeof poisson === 'boolean', 'poisson', 'true or false', poisson)
  checkOption(!poisson || rate !== undefined, 'poisson', 'false, or used together with rate', poisson)
  if (connections !== undefined) checkCount('connections', connections, MAX_CONNECTIONS)
  checkCount('pipelining', pipelining, MAX_PIPELINING)
  const mayPipeline = pipelining === 1 || rate === undefined
  checkOption(
    mayPipeline,
    'pipelining',
    '1 when rate is given (a pipelined request waits by design)',
    pipelining,
  )
  if (requests !== undefined) checkCount('requests', requests, MAX_REQUESTS)
  checkOption(
    requests === undefined || warmup === 0,
    'warmup',
    '0, or left out, beside requests: all of them count',
    warmup,
  )
  checkSeconds('duration', duration, true)
  checkSeconds('warmup', warmup, false)
  checkSeconds('timeout', timeout, true)
  const { signal, onProgress } = options
  checkSignal('signal', signal)
  checkFunction('onProgress', onProgress)
  const target = createTarget(url, options)
  const settings: LoadSettings = {
    rate: rate ?? null,
    poisson,
    connections: connections ?? (rate === undefined ? 10 : 100),
    requests: requests ?? null,
    pipelining,
    duration,
    warmup,
    timeout,
    method: target.method,
  }
  return { target, settings, signal, onProgress }
}

function checkSeconds(option: string, value: unknown, mustTakeTime: boolean): void {
  const isValid = isNumber(value) && value <= MAX_SECONDS && (mustTakeTime ? value > 0 : value >= 0)
  const least = mustTakeTime ? 'above 0' : 'of at least 0'
  checkOption(isValid, option, `a number of seconds ${least}, up to ${MAX_SECONDS}`, value)
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

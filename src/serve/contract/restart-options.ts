// The options that say when an instance that ended is started again: their defaults, and the checks.

import { checkOption, checkWord } from '../../errors/check-options.js'
import type { ServeOptions } from './options.js'
import { checkMs, MAX_MS } from './times.js'

export interface ResolvedRestart {
  readonly restart: 'always' | 'on-failure' | 'never'
  readonly stopExitCodes: readonly number[]
  /** Null: at once, then later and later. */
  readonly restartDelayMs: number | null
  /** Infinity: it never gives up. */
  readonly maxRestarts: number
  readonly minUptimeMs: number
}

const MAX_RESTARTS = 10
const MIN_UPTIME_MS = 10_000

type RestartOptions = Pick<
  ServeOptions,
  'restart' | 'stopExitCodes' | 'restartDelay' | 'maxRestarts' | 'minUptime'
>

/** @throws TW_ERR_INVALID_OPTION */
export function resolveRestart(options: RestartOptions): ResolvedRestart {
  const { restart = 'always', stopExitCodes = [], restartDelay } = options
  const { maxRestarts = MAX_RESTARTS, minUptime = MIN_UPTIME_MS } = options
  checkWord('restart', restart, ['always', 'on-failure', 'never'])
  const isCode = (code: unknown) => Number.isInteger(code) && Number(code) >= 0 && Number(code) <= 255
  const areCodes = Array.isArray(stopExitCodes) && stopExitCodes.every(isCode)
  checkOption(areCodes, 'stopExitCodes', 'a list of exit codes from 0 to 255', stopExitCodes)
  const isDelay =
    restartDelay === undefined ||
    (Number.isFinite(restartDelay) && restartDelay >= 0 && restartDelay <= MAX_MS)
  checkOption(isDelay, 'restartDelay', `a number of milliseconds from 0 to ${MAX_MS}`, restartDelay)
  const isMost = maxRestarts === 'none' || (Number.isSafeInteger(maxRestarts) && maxRestarts >= 1)
  checkOption(isMost, 'maxRestarts', 'a whole number from 1, or "none"', maxRestarts)
  checkMs('minUptime', minUptime)
  const most = maxRestarts === 'none' ? Infinity : maxRestarts
  return {
    restart,
    stopExitCodes,
    restartDelayMs: restartDelay ?? null,
    maxRestarts: most,
    minUptimeMs: minUptime,
  }
}

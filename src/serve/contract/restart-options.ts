// The options that say when an instance that ended is started again.

import { valueOf } from './option-table.js'
import type { ServeOptions } from './options.js'

export interface ResolvedRestart {
  readonly restart: 'always' | 'on-failure' | 'never'
  readonly stopExitCodes: readonly number[]
  /** Null: at once, then later and later. */
  readonly restartDelayMs: number | null
  /** Infinity: it never gives up. */
  readonly maxRestarts: number
  readonly minUptimeMs: number
}

/** Checked by themselves. */
export function resolveRestart(options: ServeOptions): ResolvedRestart {
  const maxRestarts = valueOf(options, 'maxRestarts')
  return {
    restart: valueOf(options, 'restart'),
    stopExitCodes: options.stopExitCodes ?? [],
    restartDelayMs: options.restartDelay ?? null,
    maxRestarts: maxRestarts === 'none' ? Infinity : maxRestarts,
    minUptimeMs: valueOf(options, 'minUptime'),
  }
}

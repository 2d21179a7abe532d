// How long trials of servers may take: as planned, or shorter so that both phases fit into the budget.

import type { ServerSettings } from '../results/server-result.js'

type Phase = 'saturation' | 'latency'

export interface ServerPace {
  readonly timingOf: (phase: Phase) => { warmUpMs: number; measureMs: number }
  readonly isTimeUp: (phase: Phase) => boolean
}

export interface ServerPaceOptions {
  readonly settings: ServerSettings
  /** Rows of all limits, and the rates of a latency trial. */
  readonly rows: number
  readonly rates: number
  /** When the run began (performance.now()). */
  readonly started: number
  readonly now?: () => number
}

/** What a trial costs beside its load: processes to start and to end, and a request that shows that it works. */
const OVERHEAD_MS = 900
/** Two periods of a CPU quota: within a period the CPU comes all at once. */
const MIN_MS = 200

export function createServerPace(options: ServerPaceOptions): ServerPace {
  const { settings, rows, rates, started, now = () => performance.now() } = options
  const { saturationMs, latencyMs, warmUpMs, rounds, budgetSeconds } = settings
  const budgetMs = budgetSeconds === null ? Infinity : budgetSeconds * 1000
  const trials = rows * rounds
  const loadMs = { saturation: warmUpMs + saturationMs, latency: warmUpMs + rates * (latencyMs + 100) }
  const whole = trials * (loadMs.saturation + loadMs.latency)
  const share = Math.min(1, Math.max(0, (budgetMs - 2 * trials * OVERHEAD_MS) / whole))
  const shorten = (ms: number) => Math.max(MIN_MS, Math.round((ms * share) / 100) * 100)
  const part = (OVERHEAD_MS + loadMs.saturation) / (2 * OVERHEAD_MS + loadMs.saturation + loadMs.latency)
  return {
    timingOf: (phase) => ({
      warmUpMs: shorten(warmUpMs),
      measureMs: shorten(phase === 'saturation' ? saturationMs : latencyMs),
    }),
    isTimeUp: (phase) => now() - started > budgetMs * (phase === 'saturation' ? part : 1),
  }
}

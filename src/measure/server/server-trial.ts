// What a trial of a server is told and what it answers: one row in one round, in a fresh process.

import type { Enforcement } from '../trial/trial.js'
import type { ServerWay } from '../results/server-result.js'

/** One thing to measure in every round. */
export interface ServerRow {
  readonly name: string
  readonly way: ServerWay
  readonly path: string
  readonly instances: number
  readonly cpus: number
  /** One process on the first path: what all others are compared with. `again` shows how much two equal rows differ. */
  readonly role: 'baseline' | 'again' | 'other'
}

export interface RateOf {
  readonly share: number
  readonly rate: number
}

export interface ServerTrialRequest {
  readonly file: string
  readonly row: ServerRow
  /** Variables for the server, besides those of this process. */
  readonly env: Readonly<Record<string, string>>
  readonly connections: number
  readonly warmUpMs: number
  /** Of the load that counts. With `rates`, of each of them. */
  readonly measureMs: number
  /** Empty: a closed loop, as much as the server answers. */
  readonly rates: readonly RateOf[]
}

export interface SaturationTrial {
  readonly kind: 'saturation'
  /** Answers with a status below 400, per second. */
  readonly throughput: number
  readonly errorRate: number
  readonly firstError: string | null
  readonly timeouts: number
  readonly generatorCpu: number
  readonly limitedBecause: string | null
  readonly serverCpus: number | null
  readonly answerBytes: number
  readonly startMs: number
}

export interface LatencyRun extends RateOf {
  readonly p50: number | null
  readonly p99: number | null
  readonly errorRate: number
  readonly timeouts: number
  readonly limitedBecause: string | null
}

export interface LatencyTrial {
  readonly kind: 'latency'
  readonly runs: readonly LatencyRun[]
}

export interface FailedTrial {
  readonly kind: 'failed'
  readonly reason: string
}

export type ServerTrialAnswer = SaturationTrial | LatencyTrial | FailedTrial

/** Runs one trial. Never rejects, except with TW_ERR_LIMIT_UNAVAILABLE. */
export type RunServerTrial = (
  request: ServerTrialRequest,
  signal: AbortSignal | undefined,
) => Promise<{ readonly answer: ServerTrialAnswer; readonly enforcement: Enforcement }>

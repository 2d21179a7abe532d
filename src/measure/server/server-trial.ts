// A server that lives while its row is measured, and what a load on it shows.

import type { Enforcement } from '../trial/trial.js'
import type { ServerWay } from '../results/server-result.js'

/** One way to run the server, on one path, under one CPU limit. */
export interface ServerRow {
  readonly name: string
  readonly way: ServerWay
  readonly path: string
  readonly instances: number
  readonly cpus: number
  /** One process on the first path: what all others are compared with. */
  readonly role: 'baseline' | 'other'
  /** Variables for the server of this row alone. */
  readonly env?: Readonly<Record<string, string>>
  /** Of another version of the server: its file, and what runs it. */
  readonly version?: ServerVersion
}

export interface ServerVersion {
  readonly file: string
  /** Path of Node. Default: that of this program. */
  readonly node?: string | undefined
  readonly cwd?: string | undefined
}

/** An answer as far as two versions can be compared by it. */
export interface ServerAnswer {
  readonly status: number
  readonly bytes: number
  /** SHA-256 of its body, in hex. */
  readonly hash: string
}

export interface RateOf {
  /** Of the saturation of one process. */
  readonly share: number
  readonly rate: number
  /** Rows are compared at this rate. */
  readonly isCompared: boolean
}

/** As many requests as it answers. */
export interface Saturation {
  /** Answers with a status below 400, per second. */
  readonly throughput: number
  readonly errorRate: number
  readonly firstError: string | null
  readonly timeouts: number
  /** Milliseconds: mean time of an answer, and CPU time of all processes for each; null where there was none, or the platform does not say. */
  readonly answerMs: number | null
  readonly cpuMs: number | null
  /** Nothing was answered, and nothing failed. */
  readonly isEmpty: boolean
  readonly generatorCpu: number
  readonly limitedBecause: string | null
  /** CPUs that the server used; null where the platform does not say. */
  readonly serverCpus: number | null
}

/** Requests that are due at fixed times. */
export interface LatencyRun extends RateOf {
  readonly p50: number | null
  readonly p99: number | null
  readonly errorRate: number
  readonly timeouts: number
  readonly limitedBecause: string | null
}

export interface SaturationPlan {
  readonly connections: number
  /** The first milliseconds, within which the connections begin one after the other. */
  readonly spreadMs: number
  readonly leadMs: number
  readonly countMs: number
}

/** A started server; it works only while a load is on it. */
export interface ServerTrial {
  readonly enforcement: Enforcement
  readonly startMs: number
  readonly answerBytes: number
  /** Milliseconds until it answered the first request, which it had alone. */
  readonly firstAnswerMs: number
  /** Asks once more. Rejects where there is no whole answer. */
  ask(): Promise<ServerAnswer>
  saturate(plan: SaturationPlan): Promise<Saturation>
  latencyAt(rate: RateOf, ms: number): Promise<LatencyRun>
  liftLimit(): void
  restoreLimit(): void
  stop(): Promise<void>
}

export interface ServerPlace {
  readonly file: string
  readonly row: ServerRow
  /** What the server gets after its file. */
  readonly args: readonly string[]
  /** Variables for the server, besides those of this process. */
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal | undefined
}

export interface FailedServer {
  readonly failed: string
}

/** Never rejects, except with TW_ERR_LIMIT_UNAVAILABLE. */
export type StartServerTrial = (place: ServerPlace) => Promise<ServerTrial | FailedServer>

// What `threadwise measure --server` found: the JSON from which text, page and profile are drawn.

import type { Interval, MachineFacts, NoiseFacts, Reason, Verdict } from './result.js'

/** `single`: `node FILE`. `cluster`: the same file under `threadwise serve`, in so many instances. */
export type ServerWay = 'single' | 'cluster'

/** All that a measurement of a server found: what `--json` writes. */
export interface ServerResult {
  version: 1
  kind: 'server'
  /** ISO 8601 time at which the run ended. */
  date: string
  server: { file: string; path: string; offloadPath: string | null; args: string[] }
  machine: MachineFacts
  noise: NoiseFacts
  settings: ServerSettings
  cells: ServerCell[]
  /** CPU limits that were asked for and not measured, each with the reason. */
  skipped: { cpus: number; reason: string }[]
  advice: ServerAdvice[]
  /** False when the run was interrupted, or some row had no turn in time. */
  complete: boolean
}

/** The options that were in force. */
export interface ServerSettings {
  quick: boolean
  /** Half-width of the interval, as a share, at which the best is known well enough. */
  precision: number
  /** Connections of the load at most: see those of each cell. */
  connections: number
  /** How many times the requests of one process something must answer to deserve more than one process. */
  worth: number
  /** Seconds that the whole run may take. */
  budgetSeconds: number
  seed: number
  /** The command that repeats the run. */
  command: string
}

/** One way to run the server, on one path, under one CPU limit. */
export interface ServerCell {
  /** "one process", "cluster of 2", and the path behind it where it is not the first one. */
  name: string
  way: ServerWay
  path: string
  /** 1 for `single`. */
  instances: number
  cpus: number
  /** How the CPU limit was applied, and whether it is exact. */
  enforcement: { method: string; exact: boolean; note: string }
  /** In which it was measured. */
  windows: number
  /** Requests per second that were answered with a status below 400, in a closed loop: median, lowest and highest part of the run. */
  throughput: { median: number; low: number; high: number }
  /** The same of up to ten parts of the run. */
  samples: number[]
  /** Over one process on the first path in the windows beside, and the 95 % interval. */
  ratio: Interval
  verdict: Verdict
  /** Whatever its ratio is, it is below what would be worth it. */
  noGain: boolean
  band: number
  /** The load generator took CPU time that this row wanted: it could answer more requests than it did. */
  isAtLeast: boolean
  /** At 50, 70 and 90 % of the saturation of one process under this limit, or at the rate that was asked for; of one process and of what comes next to it. */
  latency: ServerLatency[]
  /** How often as short the p99 at the compared rate (70 %, or the one that was asked for) is as that of one process: above 1 is better. Null when it was not measured. */
  latencyRatio: Interval | null
  latencyVerdict: Verdict
  latencyBand: number
  /** CPUs that the server used in the closed loop, with all processes of its group; null where the platform does not say. */
  serverCpus: number | null
  /** Share of one core that the load generator used meanwhile. */
  generatorCpu: number
  /** Why the load generator was the bottleneck; null when it was not. */
  limitedBecause: string | null
  /** Bytes of the body of one answer. */
  answerBytes: number | null
  /** From the start of the process until it listens, in ms. */
  startMs: number | null
  /** Connections of the load on it: with slow answers fewer than in the settings, where these keep it busy. */
  connections: number | null
  /** Share of requests of the closed loop without an answer below 400, the first reason, and those that timed out in all runs. */
  errorRate: number
  firstError: string | null
  timeouts: number
  /** Why this row could not be measured; null when it was. */
  failed: string | null
}

/** Latency at one of the rates that all rows had. */
export interface ServerLatency {
  /** Of the saturation of one process: 0.5, 0.7 or 0.9; with a rate that was asked for, what it is of that. */
  share: number
  /** Rows are compared at this rate. */
  isCompared: boolean
  /** Requests per second that were due. */
  rate: number
  /** In ms, from when a request was due: medians of the rounds. */
  p50: number | null
  p99: number | null
  /** Share of the requests without an answer below 400. */
  errorRate: number
}

/** How many instances to run under one CPU limit, and why. */
export interface ServerAdvice {
  cpus: number
  /** What to run. */
  way: ServerWay
  instances: number
  path: string
  /** On what is advised, or, where that is one process, on what came nearest to beating it. */
  verdict: Verdict
  /** False when something that could not be told might change it: then it is not saved. */
  isSettled: boolean
  sentence: string
  reasons: Reason[]
}

// What a plan gives: the form of the JSON of `threadwise plan --json`. Times are in milliseconds.

/** How the server runs: equal containers, each with some processes. */
export interface PlanShape {
  containers: number
  /** The limit of each container. */
  cpus: number
  /** Processes in each container. */
  instances: number
  /** Of the pool of each process; 0: it has none. */
  threads: number
}

export interface PlanRange {
  value: number
  /** Four of five draws lie between. */
  low: number
  high: number
}

export interface PlanConfiguration extends PlanShape {
  /** CPUs that are used, as a share of the limits. */
  use: number
  /** Share of the time in which the main thread of a process has work. */
  busy: number
  /** Share of the time in which a container stands still with work, since its CPU quota is spent. */
  frozen: number
  /** Of all requests; null where it was not worth a simulation. */
  p99: PlanRange | null
  /** Of each path. */
  paths: { path: string; p50: number; p99: number }[]
  /** Share of the draws that keep the p99, with --spare also without these containers. */
  holds: number
  /** Of all containers; null where the platform does not say. */
  memoryBytes: number | null
  /** A month of all containers; null without --price. */
  price: number | null
  /** Why it is the first one, or why it is not. */
  reason: string
  /** What has to be changed in the app for it: the paths whose work moves to threads. Empty: nothing. */
  moves: string[]
}

/** What a request costs one process, under the load. */
export interface PlanCalibration {
  path: string
  /** CPU time of all its threads. */
  cpuMs: number
  /** Of that on the main thread, and on threads of its pool and of libuv. */
  mainMs: number
  threadMs: number
  /** Without a CPU. */
  waitMs: number
  /** Between windows of the same load, as a share. */
  spread: number
  /** Requests per second of all paths, on one process, at which it was measured. */
  at: number
  /** Requests that were measured one at a time. */
  samples: number
}

export interface PlanCheck {
  configuration: PlanShape
  predicted: { use: number; p99: PlanRange }
  /** Null: it could not be run here. */
  measured: { use: number | null; p99: number } | null
  /** Containers that were run here, each with its part of the load. */
  containers: number
  /** What the check says, and what it rests on. */
  sentence: string
}

export interface PlanResult {
  version: 1
  date: string
  node: string
  machine: { cpus: number; model: string }
  file: string
  /** False when it was interrupted. */
  complete: boolean
  load: { rate: number; arrivals: string; paths: { path: string; weight: number }[] }
  goal: { p99: number; spare: number }
  prices: { cpu: number; gb: number } | null
  calibration: PlanCalibration[]
  /** Why the calibration cannot be relied on; null: it can. */
  disturbed: string | null
  /** The cheapest that holds first. */
  configurations: PlanConfiguration[]
  advice: { configuration: PlanShape | null; sentence: string }
  /** Null without --check. */
  checks: PlanCheck[] | null
  /** What was left out, or assumed. */
  notes: string[]
  /** The command that repeats it. */
  command: string | null
}

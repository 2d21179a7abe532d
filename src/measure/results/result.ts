// The measured result: the JSON that `threadwise measure --json` writes. Reports, advice and profiles are drawn from it.

/** The executors that a measurement compares. */
export type ExecutorName = 'inline' | 'concurrent' | 'threads' | 'processes'

/** How a cell compares with `inline` of the same variant and CPU limit. */
export type Verdict = 'faster' | 'slower' | 'same' | 'cannot-tell'

/** A value with the 95 % interval around it. */
export interface Interval {
  value: number
  low: number
  high: number
}

/** All that a measurement found: what `--json` writes, and what the reports are drawn from. */
export interface MeasureResult {
  version: 1
  /** ISO 8601 time at which the run ended. */
  date: string
  workload: WorkloadFacts
  machine: MachineFacts
  noise: NoiseFacts
  settings: Settings
  cells: Cell[]
  /** CPU limits that were asked for and not measured, each with the reason. */
  skipped: { cpus: number; reason: string }[]
  advice: Advice[]
  predictions: Prediction[]
  /** False when the run was interrupted (Ctrl-C, or the budget ran out) before its last round. */
  complete: boolean
}

/** What was measured. */
export interface WorkloadFacts {
  /** The file that was given on the command line. */
  file: string
  /** URL of the task module. */
  module: string
  /** variant -> name of the task function; a workload without variants has one, named like its task. */
  variants: Record<string, string>
  /** What one inline call looks like, per variant, from a short run before the first round. */
  scout: Record<string, Scout>
}

/** What one short run of the task inline showed, by which the measurement is planned. */
export interface Scout {
  /** Wall-clock time of one inline call, in microseconds. */
  callUs: number
  /** CPU time of the whole process per call, in microseconds. */
  cpuUs: number
  /** cpuUs / callUs: below 0.5 the call mostly waits. */
  cpuShare: number
  /** Size of the structured clone of one argument list and of one result, in bytes; null if it cannot be cloned. */
  argumentBytes: number | null
  resultBytes: number | null
  /** Kinds of work that the call gives to libuv's thread pool (async_hooks resource types), e.g. ["FSREQPROMISE"]. */
  uvWork: string[]
  /** Share of calls that threw, 0..1, and the first message. */
  errorRate: number
  firstError: string | null
}

/** The machine and its versions. */
export interface MachineFacts {
  platform: string
  arch: string
  cpuModel: string
  /** CPUs of the host, CPUs that affinity allows, the quota in CPUs (null: none), and the budget that follows. */
  host: number
  affinity: number
  quota: number | null
  cpus: number
  /** os.availableParallelism(): what Node itself answers. */
  nodeAnswer: number
  node: string
  v8: string
  uv: string
  totalMemoryBytes: number
  /** Measurements that this Node version or platform cannot give, by name. */
  unavailable: string[]
}

/** Whether the machine was quiet, and the figures that say so. */
export interface NoiseFacts {
  verdict: 'quiet' | 'noisy' | 'unusable'
  /** Why, in sentences; empty for a quiet machine. */
  reasons: string[]
  /** A fixed loop timed before each round, in ms: shows CPU speed drift. */
  calibrationMs: number[]
  /** How much longer it took in a slow round (the upper quartile) than in the median one, in %; null with fewer than three. */
  speedDriftPercent: number | null
  /** CPU time that the hypervisor took away during the run, in % of all CPUs; null where unknown. */
  stealPercent: number | null
  /** CPU use of other processes just before the run, in CPUs; null where unknown. */
  otherCpus: number | null
  /** Share of time in which some task waited for a CPU (/proc/pressure/cpu), in %; null where unknown. */
  pressurePercent: number | null
}

/** The options that were in force. */
export interface Settings {
  rounds: number
  quick: boolean
  /** Length of the measured part of a trial, in ms. */
  trialMs: number
  /** How much faster than inline something must be to deserve more than inline. */
  worth: number
  goal: { kind: 'throughput' } | { kind: 'responsive'; loopDelayMs: number }
  budgetSeconds: number | null
  seed: number
  /** The command that repeats the run. */
  command: string
}

/** One executor and size, for one variant, under one CPU limit. */
export interface Cell {
  variant: string
  executor: ExecutorName
  /** Workers; the concurrency of `concurrent`; 1 for `inline`. */
  size: number
  cpus: number
  /** UV_THREADPOOL_SIZE of the trial process; null when it was left alone. */
  uv: number | null
  /** Calls that the driver kept in flight. */
  inFlight: number
  /** How the CPU limit was applied: 'none', 'cgroup-v2', 'cgroup-v1', 'systemd-run' or 'taskset', and whether it is exact. */
  enforcement: { method: string; exact: boolean; note: string }
  rounds: number
  /** Calls per second: median of the rounds, and the lowest and highest round. */
  throughput: { median: number; low: number; high: number }
  /** Throughput over inline of the same round: geometric mean and 95 % interval. */
  ratio: Interval
  /** Throughput of each round, in the order of the rounds (null: the round failed). */
  samples: (number | null)[]
  verdict: Verdict
  /** Half-width of the band around 1 that counts as no difference: 0.05, or the floor of two equal inline cells. */
  band: number
  /** Time of a call as its caller sees it, in ms, over all rounds; null when there were too few calls to say. */
  latency: { p50: number | null; p99: number | null; count: number }
  /** How late the main thread's event loop ran, in ms. */
  loopDelay: { p50: number | null; p99: number | null }
  /** Private memory that one worker adds, with the user's module loaded, in bytes; for inline and concurrent what loading the module adds. */
  memoryBytes: number | null
  /** Heap that stays behind per call after a garbage collection, in bytes (inline and concurrent only). */
  leakBytesPerCall: number | null
  /** CPU time of all processes and threads together per call, in seconds, and the part of it spent on the main thread. */
  cpuSecondsPerTask: number | null
  mainCpuSecondsPerTask: number | null
  /** Time for which the CPU quota froze the processes, in % of the measured time; null without a quota. */
  throttled: number | null
  /** From the creation of the executor to its first result, in ms. */
  startMs: number | null
  /** Share of calls that threw, and the first message. */
  errorRate: number
  firstError: string | null
  /** Why this cell could not be measured; null when it was. */
  failed: string | null
}

/** A finding: one sentence, and the figures that it rests on. */
export interface Reason {
  /** Name of the rule (a file in measure/findings/). */
  id: string
  level: 'hint' | 'warning'
  sentence: string
  /** The figures that the sentence rests on. */
  evidence: Record<string, number | string>
}

/** What to run under one CPU limit, and why. */
export interface Advice {
  cpus: number
  variant: string
  executor: ExecutorName
  size: number
  uv: number | null
  /** The verdict on the executor that came nearest to beating inline (on the advised one, when that is not inline). */
  verdict: Verdict
  /** It rests on a verdict, or on intervals that end below what would be worth it. Only then it is saved. */
  isSettled: boolean
  sentence: string
  reasons: Reason[]
}

/** What operational bounds say about a CPU count that was not measured. */
export interface Prediction {
  variant: string
  executor: ExecutorName
  size: number
  cpus: number
  /** Calls per second: what is likely at worst, and what cannot be exceeded. */
  throughput: { pessimistic: number; bound: number }
  ratio: { pessimistic: number; bound: number }
  label: 'extrapolated' | 'guess'
}

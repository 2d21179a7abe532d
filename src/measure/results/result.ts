// The measured result: the JSON that `threadwise measure --json` writes. Reports, advice and profiles are drawn from it.

/** The executors that a measurement compares. */
export type ExecutorName = 'inline' | 'concurrent' | 'threads' | 'processes' | 'bullmq'

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
  /** How each comparison went. */
  courses: Course[]
  advice: Advice[]
  predictions: Prediction[]
  /** False when the run was interrupted before everything was measured. */
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
  /** The task changes what it is given; each call was given a copy. */
  changesInput: boolean
  /** The result is an iterator, whose pieces were asked for until the last one. */
  isLazy: boolean
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
  /** CPU time that the hypervisor took away during the run, in % of all CPUs; null where unknown. */
  stealPercent: number | null
  /** CPUs that others used while something was measured, on average; null where unknown. */
  otherCpus: number | null
  /** Windows that were left out since others used a CPU, in %; null where unknown. */
  disturbedPercent: number | null
  /** Share of time in which some task waited for a CPU (/proc/pressure/cpu), in %; null where unknown. */
  pressurePercent: number | null
}

/** The options that were in force. */
export interface Settings {
  quick: boolean
  /** Half-width of the interval, as a share, at which the best is known well enough. */
  precision: number
  /** How much faster than inline something must be to deserve more than inline. */
  worth: number
  goal: { kind: 'throughput' } | { kind: 'responsive'; loopDelayMs: number }
  /** Seconds that the whole run may take. */
  budgetSeconds: number
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
  /** Windows in which it was measured, and processes that they belong to. */
  windows: number
  processes: number
  /** Calls per second: median, lowest and highest of up to ten parts of the run. */
  throughput: { median: number; low: number; high: number }
  /** Throughput over inline in the windows beside: the ratio of the sums, and the 95 % interval. */
  ratio: Interval
  /** Of the logarithm of that ratio, spread between processes included; null when it is not known. */
  standardError: number | null
  /** Throughput of the parts of the run, in their order. */
  samples: number[]
  verdict: Verdict
  /** Whatever its ratio is, it is below what would be worth it. */
  noGain: boolean
  /** Half-width of the band around 1 that counts as no difference. */
  band: number
  /** Time of a call as its caller sees it, in ms, over all rounds; null when there were too few calls to say. */
  latency: { p50: number | null; p99: number | null; count: number }
  /**
   * How long callers wait, in ms, when calls are due at the rate that was asked for: from when each was due. Null when none was asked
   * for; `isKept` is false where the executor cannot do so many, and then they wait longer and longer.
   */
  atRate: { rate: number; isKept: boolean; p50: number | null; p99: number | null } | null
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

/** How the comparison of one variant under one limit went. */
export interface Course {
  variant: string
  cpus: number
  /** What ended it: a decision for something (`run`) or for inline (`keep`), the time, the user, or that inline failed. */
  ended: 'run' | 'keep' | 'time' | 'stopped' | 'no-baseline'
  seconds: number
  /** Two processes of inline against each other: it should hold 1. */
  twin: Interval | null
  /** Share of the windows that others disturbed, 0..1, and the CPUs that they used on average. */
  disturbed: number
  otherCpus: number | null
  /** Why its processes could not live side by side, so that each window was one of its own; null when they could. */
  aloneBecause: string | null
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

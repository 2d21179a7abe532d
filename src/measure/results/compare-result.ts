// The result of a comparison of versions: the JSON that `threadwise compare --json` writes.

import type { Interval, MachineFacts, NoiseFacts, Verdict } from './result.js'

/** What is compared: time, CPU time and bytes of a call, memory of the process; of servers requests per second and latency. */
export type CompareMetric = 'time' | 'cpu' | 'allocated' | 'memory' | 'throughput' | 'latency'

/** All that a comparison found. */
export interface CompareResult {
  version: 1
  /** ISO 8601 time at which the run ended. */
  date: string
  /** The first one is the old one, with which the others are compared. */
  versions: ComparedVersion[]
  comparisons: Comparison[]
  results: ComparedResults
  /** Processes whose warm-up was much longer, in sentences. */
  warmUps: string[]
  /** Workloads of which nothing could be told, and why. */
  skipped: { workload: string; reason: string }[]
  /** The smallest difference in time that this run could tell, as a share: 0.03 is 3 %. The largest of all workloads; null where nothing was timed. */
  resolvable: number | null
  machine: MachineFacts
  noise: NoiseFacts
  settings: CompareSettings
  /** The whole answer. */
  sentence: string
  /** False when the run was interrupted. */
  complete: boolean
  /** With `--bisect`: how the commit was found. The other figures are those of that commit and the one before it. */
  bisect?: BisectFacts
}

/** A search for the commit with which a difference came. */
export interface BisectFacts {
  /** In which the versions differ. */
  workload: string
  metric: CompareMetric
  /** The first commit that has more than half of the difference; null: it was not found. */
  first: CommitFacts | null
  /** Commits among which it is: one, unless others could not be compared, or the run ended early. */
  suspects: string[]
  /** In the order of the runs; `ratio` is to the good commit. */
  tested: { commit: string; isBad: boolean; ratio: Interval }[]
  skipped: { commit: string; reason: string }[]
}

/** A commit, as git tells of it. */
export interface CommitFacts {
  commit: string
  subject: string
  author: string
  /** ISO 8601. */
  date: string
}

/** A version, and what makes it one. */
export interface ComparedVersion {
  name: string
  /** What makes it another version: another function (`task`), file, state of the repository (`ref`) or runtime. */
  kind: 'task' | 'file' | 'ref' | 'runtime'
  /** The commit; null for what lies in the folder, and where there is none. */
  ref: string | null
}

/** One version against the first one, in one respect. */
export interface Comparison {
  workload: string
  /** Name of the version that is compared with the first one. */
  name: string
  metric: CompareMetric
  /** New over old: below 1 is better, except of `throughput`. The interval holds at every look, in all comparisons of the run together 99 times of 100. */
  ratio: Interval
  /** `same`: the whole interval lies within the tolerance. */
  verdict: Verdict
  /** Of a call, old and new: `time` and `cpu` in microseconds, `allocated` in bytes; `memory` in bytes of the process. */
  old: number | null
  new: number | null
  /** Pairs of windows, and processes of the version, that it rests on. */
  pairs: number
  processes: number
}

/** Whether versions give the same results for the same inputs. */
export interface ComparedResults {
  /** Inputs for which all versions gave equal results, and for which they did not. */
  equal: number
  differing: number
  /** Inputs of which one version gives another result each time: nothing can be said of them. */
  unsteady: number
  /** The first that differ, as text. */
  examples: { workload: string; name: string; input: number; old: string; new: string }[]
}

/** The options that were in force. */
export interface CompareSettings {
  /** Seconds. */
  budgetSeconds: number
  /** As a share: smaller differences count as none. */
  tolerance: number
  seed: number
  command: string
  /** What ran the calls; `inline` with no limit: they were made directly. */
  executor: 'inline' | 'concurrent' | 'threads' | 'processes'
  /** Workers, or open calls of `concurrent`. */
  size: number
  /** The CPU limit of each process; null: none was given. */
  cpus: number | null
}

// What is compared: versions of one workload, each a function that some process can load.

import type { TrialRuntime } from '../trial/trial-process.js'
import type { WorkloadSource } from '../trial/workload.js'

/** `task`: another function of the same file. `file`: another file. `ref`: another state of the repository. `runtime`: another Node, flags or variables. */
export type VersionKind = 'task' | 'file' | 'ref' | 'runtime'

/** Where its function is, and what runs it. */
export interface Version {
  readonly name: string
  readonly kind: VersionKind
  /** The commit, where it comes from one. */
  readonly ref: string | null
  readonly runtime: TrialRuntime
}

/** One version of one workload. */
export interface VersionTask {
  readonly version: Version
  readonly source: WorkloadSource
  readonly variant: string
}

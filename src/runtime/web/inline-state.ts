// What a page and the file of a worker that it loads into its own thread know of each other: inline-worker.ts.

import { sharedState } from '../../primitives/shared-state.js'
import type { WorkerScope } from './worker-scope.js'

export type Start = (scope: WorkerScope) => void

/** Files that were loaded, and how each serves. The package is in several files, each with a copy of this one. */
export const inline = sharedState('web-inline', 1, () => ({
  starts: new Map<string, Start>(),
  /** Told by serve(), while a file is loaded. */
  onServe: undefined as ((start: Start) => void) | undefined,
  /** One file after the other. */
  loading: Promise.resolve(),
}))

// Shim for local/caller-runs.ts: a page does not load the tasks, so it cannot run them. web() refuses the option.

import type { CallerRuns } from '../../core/bounded-pool.js'

export function createCallerRuns(): CallerRuns {
  return {
    submit: () => Promise.reject(new Error('This is a bug in threadwise: a page was to run a task')),
    onFree: undefined,
    isBusy: false,
    pool: undefined,
  }
}

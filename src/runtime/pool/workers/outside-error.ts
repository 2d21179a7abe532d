// An error that ends a worker between its calls, as in a timer that a task has left: nobody awaits it, so the program is told.

import { describe } from '../../../errors/errors.js'
import type { WorkerExit } from './worker.js'

export function outsideError(cause: unknown): WorkerExit {
  return { how: `because of an error outside of any task (${describe(cause)})`, cause, isOutside: true }
}

/** A line on standard error, and an event, as of all warnings of the process. `worker`: such as: Worker 1 of threads "render". */
export function warnOfOutsideError(worker: string, { how, cause }: WorkerExit): void {
  const detail = stackOf(cause)
  process.emitWarning(`${worker} ended ${how}.`, {
    type: 'ThreadwiseWarning',
    code: 'TW_WARN_WORKER_ERROR',
    ...(detail !== undefined && { detail }),
  })
}

/** What was thrown may be anything, and may throw when it is looked at. */
function stackOf(cause: unknown): string | undefined {
  try {
    const { stack } = Object(cause) as { stack?: unknown }
    return typeof stack === 'string' ? stack : undefined
  } catch {
    return undefined
  }
}

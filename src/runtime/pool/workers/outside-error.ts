// An error that ends a worker between its calls.

import { describe } from '../../../errors/errors.js'
import type { WorkerExit } from './worker.js'

export function outsideError(cause: unknown): WorkerExit {
  return { how: `because of an error outside of any task (${describe(cause)})`, cause, isOutside: true }
}

// name -> executor: one of the few files that know every runtime.

import { adaptive } from './adaptive/adaptive-executor.js'
import { concurrent } from './concurrent/concurrent-executor.js'
import { checkOption } from './errors.js'
import type { Executor, ExecutorKind } from './executor/executor.js'
import { inline } from './inline/inline-executor.js'
import { processes } from './processes/processes-executor.js'
import { threads } from './threads/threads-executor.js'

/** Creates the executor of that kind; `size` is its number of workers, or the concurrency of `concurrent`. */
export function createExecutor<T = object>(
  kind: ExecutorKind,
  module: URL | string,
  size: number,
): Executor<T> {
  switch (kind) {
    case 'inline':
      return inline<T>(module)
    case 'concurrent':
      return concurrent<T>(module, { concurrency: size })
    case 'threads':
      return threads<T>(module, { size })
    case 'processes':
      return processes<T>(module, { size })
    case 'adaptive':
      return adaptive<T>(module, { size })
    default:
      checkOption(false, 'executor', 'inline, concurrent, threads, processes or adaptive', kind)
      throw kind satisfies never
  }
}

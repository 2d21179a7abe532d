// name -> executor: one of the few files that know every runtime.

import { adaptive } from './adaptive/adaptive-executor.js'
import { concurrent } from './local/concurrent-executor.js'
import { checkOption } from '../errors/check-options.js'
import type { Executor } from './executor/executor.js'
import type { ExecutorKind } from './executor/stats.js'
import { inline } from './local/inline-executor.js'
import { processes } from './processes/processes-executor.js'
import { threads } from './threads/threads-executor.js'

/**
 * Creates the executor of that kind; `size` is its number of workers, or the concurrency of `concurrent`. `options` are others
 * of its own.
 */
export function createExecutor<T = object>(
  kind: ExecutorKind,
  module: URL | string,
  size: number,
  options: object = {},
): Executor<T> {
  switch (kind) {
    case 'inline':
      return inline<T>(module, options)
    case 'concurrent':
      return concurrent<T>(module, { concurrency: size, ...options })
    case 'threads':
      return threads<T>(module, { size, ...options })
    case 'processes':
      return processes<T>(module, { size, ...options })
    case 'adaptive':
      return adaptive<T>(module, { size, ...options })
    default:
      checkOption(false, 'executor', 'inline, concurrent, threads, processes or adaptive', kind)
      throw kind satisfies never
  }
}

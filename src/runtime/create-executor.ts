// name -> executor: one of the few files that know every runtime.

import { adaptive } from './adaptive/adaptive-executor.js'
import { bullmq } from './bullmq/bullmq-executor.js'
import type { BullmqOptions } from './bullmq/options.js'
import { concurrent } from './local/concurrent-executor.js'
import { checkOption } from '../errors/check-options.js'
import type { Executor } from './executor/executor.js'
import { NAMED_KINDS, type NamedKind } from './executor/stats.js'
import { inline } from './local/inline-executor.js'
import { processes } from './processes/processes-executor.js'
import { threads } from './threads/threads-executor.js'

/**
 * Creates the executor of that kind; `size` is its number of workers, or the concurrency of `concurrent`; undefined: its default.
 * `options` are others of its own.
 */
export function createExecutor<T = object>(
  kind: NamedKind,
  module: URL | string,
  size: number | undefined,
  options: object = {},
): Executor<T> {
  const own = size === undefined ? {} : { size }
  switch (kind) {
    case 'inline':
      return inline<T>(module, options)
    case 'concurrent':
      return concurrent<T>(module, { ...(size !== undefined && { concurrency: size }), ...options })
    case 'threads':
      return threads<T>(module, { ...own, ...options })
    case 'processes':
      return processes<T>(module, { ...own, ...options })
    case 'adaptive':
      return adaptive<T>(module, { ...own, ...options })
    case 'bullmq':
      return bullmq<T>(module, options as BullmqOptions) // its workers are counted where they are started
    default:
      checkOption(false, 'executor', `one of ${NAMED_KINDS.join(', ')}`, kind)
      throw kind satisfies never
  }
}

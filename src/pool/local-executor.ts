// An Executor over the local pool: what inline and concurrent have in common.

import type { Capabilities, Executor } from '../executor/executor.js'
import { executorFromCore } from '../executor/from-core.js'
import {
  checkMilliseconds,
  resolveCommonOptions,
  resolveModule,
  type CommonOptions,
} from '../executor/options.js'
import { boundPool } from './bounded-pool.js'
import { LocalPool } from './local-pool.js'

export interface LocalOptions extends CommonOptions {
  /** Milliseconds that importing the module may take. Default 10 000. */
  readonly startTimeout?: number
}

const capabilities: Capabilities = {
  parallel: false,
  isolated: false,
  copies: false,
  transfer: false,
  sharedMemory: true,
}

export interface LocalKind {
  readonly kind: 'inline' | 'concurrent'
  readonly limit: number
  /** What stats() gives as size, and calls that map() keeps open. */
  readonly size: number
}

export function createLocalExecutor<T>(
  module: URL | string,
  options: LocalOptions,
  { kind, limit, size }: LocalKind,
): Executor<T> {
  const common = resolveCommonOptions(options)
  const { startTimeout = 10_000 } = options
  checkMilliseconds('startTimeout', startTimeout)
  const settings = { ...common, startTimeout, module: resolveModule(module), limit }
  const pool = new LocalPool(settings)
  const bounded = boundPool(pool, { ...settings, copies: false })
  return executorFromCore<T>({
    kind,
    capabilities,
    ready: pool.ready,
    mapLimit: size,
    submit: bounded.submit,
    submitPatiently: bounded.submitPatiently,
    stats: () => ({ kind, size, ...bounded.stats }),
    close: (timeout) => bounded.close(timeout),
    destroy: (reason) => bounded.destroy(reason),
  })
}

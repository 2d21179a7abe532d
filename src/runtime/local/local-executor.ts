// An Executor over the local pool: what inline and concurrent have in common.

import { ownOptions } from '../../errors/check-options.js'
import { ON_THIS_MACHINE } from '../executor/capabilities.js'
import type { Capabilities, Executor } from '../executor/executor.js'
import { executorFromCore } from '../executor/from-core.js'
import {
  checkMilliseconds,
  resolveCommonOptions,
  type CommonOptions,
  resolveSize,
} from '../executor/shared-options.js'
import { resolveLocalModule, type LoadedModule, type NamedModules } from '../executor/task-module.js'
import { boundPool } from '../core/bounded-pool.js'
import { createCallerRuns } from './caller-runs.js'
import { LocalPool } from './local-pool.js'
import { Observer } from '../core/observer.js'
import { streamsOf } from '../core/call-stream.js'

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
  ...ON_THIS_MACHINE,
}

export interface LocalKind {
  readonly kind: 'inline' | 'concurrent'
  readonly limit: number
  /** What stats() gives as size, and calls that map() keeps open. */
  readonly size: number
}

export function createLocalExecutor<T>(
  module: URL | string | NamedModules | LoadedModule<object>,
  options: LocalOptions,
  { kind, limit, size }: LocalKind,
): Executor<T> {
  const common = resolveCommonOptions(kind, options)
  const { startTimeout = 10_000 } = ownOptions(options)
  checkMilliseconds('startTimeout', startTimeout)
  const { name } = common
  const observer = new Observer({ name, kind })
  const settings = { ...common, startTimeout, ...resolveLocalModule(module), limit, observer }
  const pool = new LocalPool(settings)
  const bounded = boundPool(pool, settings, () => createCallerRuns(settings, false))
  let current = size
  return executorFromCore<T>({
    kind,
    capabilities,
    ready: pool.ready,
    get size() {
      return current
    },
    mapLimit: size,
    submit: bounded.submit,
    submitWhenRoom: bounded.submitWhenRoom,
    hasRoom: bounded.hasRoom,
    whenRoom: bounded.whenRoom,
    stream: streamsOf(bounded.submit, 0), // to run ahead in this thread would only delay it
    broadcast: async (name, args, runOptions) => [await pool.submit(name, args, runOptions)],
    resize(newSize) {
      const { max } = resolveSize(newSize)
      if (kind === 'concurrent') pool.resize((current = max))
    },
    stats: () => ({ kind, name, size: current, ...bounded.stats, ...observer.durations, workers: [] }),
    close: (timeout) => bounded.close(timeout),
    destroy: (reason) => bounded.destroy(reason),
  })
}

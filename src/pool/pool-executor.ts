// An Executor over the worker pool: what threads and processes have in common.

import type { Capabilities, Executor } from '../executor/executor.js'
import { checkOption } from '../errors.js'
import { executorFromCore, type ExecutorCore } from '../executor/from-core.js'
import { checkCount, checkMilliseconds, resolveCommonOptions, resolveModule } from '../executor/options.js'
import type { CommonOptions } from '../executor/options.js'
import type { EachResult } from '../protocol/run-each.js'
import { boundPool } from './bounded-pool.js'
import { checkBalance, createRule, type Balance } from './balance.js'
import { DirectedPool } from './directed-pool.js'
import type { CallPool } from './call-pool.js'
import { Pool, type PoolOptions } from './pool.js'
import type { SharedCalls, StartWorker } from './pool-worker.js'

export interface PoolExecutorOptions extends CommonOptions {
  /** Number of workers. Default: the CPU budget, rounded down, at least 1. */
  readonly size?: number
  /** Milliseconds that a worker may take to start and import the module. Default 10 000. */
  readonly startTimeout?: number
  /** Calls that one worker may hold at a time; more than one runs only while others wait on promises. Default 1024. */
  readonly tasksPerWorker?: number
  /**
   * Which worker gets a call. 'shared': all take calls from one queue, so nobody is idle while a call waits. The others
   * choose when the call is made, and it waits for that worker: 'round-robin', 'random', 'least-busy' (with the fewest open
   * calls), or a function that gives its number. Default 'shared'.
   */
  readonly balance?: Balance
  /** Environment variables of the workers, added to the caller's; undefined removes one. */
  readonly env?: Record<string, string | undefined>
  /** Node options of the workers, such as ['--max-old-space-size=512']. Default: the caller's. */
  readonly execArgv?: readonly string[]
}

export interface PoolKind {
  readonly kind: 'threads' | 'processes'
  readonly capabilities: Capabilities
  readonly defaultSize: () => number
  readonly createRuntime: (settings: WorkerSettings) => Runtime
}

export interface Runtime {
  readonly startWorker: StartWorker
  readonly shared?: SharedCalls | undefined
}

/** What a runtime needs to start a worker. */
export interface WorkerSettings {
  readonly module: string
  readonly name: string
  readonly env: Record<string, string | undefined> | undefined
  readonly execArgv: readonly string[] | undefined
  readonly size: number
  readonly tasksPerWorker: number
}

/** Calls that map() keeps open for each worker: enough for full batches of short calls, without holding all inputs. */
const MAP_CALLS_PER_WORKER = 2048

export function createPoolExecutor<T>(
  module: URL | string,
  options: PoolExecutorOptions,
  { kind, capabilities, defaultSize, createRuntime }: PoolKind,
): Executor<T> {
  const common = resolveCommonOptions(options)
  const { size = defaultSize(), startTimeout = 10_000, tasksPerWorker = 1024, env, execArgv } = options
  checkCount('size', size)
  checkCount('tasksPerWorker', tasksPerWorker)
  checkMilliseconds('startTimeout', startTimeout)
  checkWorkerOptions(options)
  const { balance = 'shared' } = options
  checkBalance(balance)
  const url = resolveModule(module)
  const holdsBack = common.maxQueue < Infinity
  const settings = { ...common, module: url, size, startTimeout, tasksPerWorker, env, execArgv, holdsBack }
  const pool = createPool(settings, createRuntime, balance)
  const bounded = boundPool(pool, { ...settings, copies: true })
  return executorFromCore<T>({
    kind,
    capabilities,
    ready: pool.ready,
    mapLimit: size * MAP_CALLS_PER_WORKER,
    submit: bounded.submit,
    submitPatiently: bounded.submitPatiently,
    submitEach: bounded.isBounded ? undefined : eachOf(pool),
    stats: () => ({ kind, size: pool.size, ...bounded.stats }),
    close: (timeout) => bounded.close(timeout),
    destroy: (reason) => bounded.destroy(reason),
  })
}

function eachOf(pool: CallPool): ExecutorCore['submitEach'] {
  return pool.submitEach && ((name, inputs) => pool.submitEach!(name, inputs) as Promise<EachResult>)
}

function createPool(
  settings: WorkerSettings & PoolOptions,
  createRuntime: PoolKind['createRuntime'],
  balance: Balance,
): CallPool {
  if (balance === 'shared') {
    const { startWorker, shared } = createRuntime(settings)
    return new Pool(startWorker, settings, shared)
  }
  let lastId = 0
  const lanes = Array.from({ length: settings.size }, () => {
    const own = { ...settings, size: 1 }
    const { startWorker, shared } = createRuntime(own)
    return new Pool((_, events) => startWorker(++lastId, events), own, shared)
  })
  return new DirectedPool(lanes, createRule(balance))
}

function checkWorkerOptions({ env, execArgv }: PoolExecutorOptions): void {
  const isObject = typeof env === 'object' && env !== null
  checkOption(env === undefined || isObject, 'env', 'an object of environment variables', env)
  checkOption(execArgv === undefined || Array.isArray(execArgv), 'execArgv', 'an array of strings', execArgv)
}

// The options of threads and processes: checked once, filled with their defaults, and read-only from then on.

import { checkNames, checkOption, optionNames } from '../errors.js'
import { checkCount, checkMilliseconds, resolveCommonOptions, resolveModule } from '../executor/options.js'
import type { ResolvedCommonOptions } from '../executor/options.js'
import { checkBalance, type Balance } from './balance.js'
import type { PoolOptions } from './pool.js'
import type {
  BudgetShare,
  PoolExecutorOptions,
  Recycle,
  ResourceLimits,
  WorkerSettings,
} from './pool-executor.js'
import { resolveSize } from './pool-size.js'
import type { RetryPolicy } from './retries.js'

export interface ResolvedPoolOptions extends ResolvedCommonOptions, WorkerSettings, PoolOptions {
  readonly balance: Balance
  /** Infinity: never. */
  readonly warnAfter: number
}

const DEFAULT_BACKOFF_MS = 100
const RECYCLE_OPTIONS = optionNames('maxTasks maxHeapBytes maxAge')
const RETRY_OPTIONS = optionNames('retries backoff')
const LIMITS = optionNames('maxOldGenerationSizeMb maxYoungGenerationSizeMb codeRangeSizeMb stackSizeMb')

/** @throws TW_ERR_INVALID_OPTION */
export function resolvePoolOptions(
  module: URL | string,
  raw: PoolExecutorOptions,
  joinBudget: () => BudgetShare,
): ResolvedPoolOptions {
  const common = resolveCommonOptions(raw)
  const { startTimeout = 10_000, idleTimeout = 30_000, tasksPerWorker = 1024 } = raw
  const { balance = 'shared', env, execArgv, output = 'inherit', resourceLimits } = raw
  const { warnAfter = Infinity } = raw
  checkCount('tasksPerWorker', tasksPerWorker)
  checkMilliseconds('startTimeout', startTimeout)
  checkMilliseconds('idleTimeout', idleTimeout)
  checkMilliseconds('warnAfter', warnAfter)
  checkBalance(balance)
  checkEnvironment(raw)
  const url = resolveModule(module)
  const recycle = resolveRecycle(raw.recycle)
  const onWorkerExit = resolveRetries(raw.onWorkerExit)
  return {
    ...common,
    ...recycle,
    ...resolveWorkers(raw, joinBudget), // last: it changes other pools
    onWorkerExit,
    module: url,
    startTimeout,
    idleTimeout,
    tasksPerWorker,
    warnAfter,
    balance,
    env,
    execArgv,
    output,
    resourceLimits,
    holdsBack: common.maxQueue < Infinity,
  }
}

function resolveWorkers({ size, budget = 'shared' }: PoolExecutorOptions, joinBudget: () => BudgetShare) {
  const isBudget = budget === 'shared' || (typeof budget === 'number' && budget > 0)
  checkOption(isBudget, 'budget', "'shared' or a number of CPUs above 0", budget)
  if (size !== undefined) return { size: resolveSize(size) }
  if (budget !== 'shared') return { size: resolveSize(Math.max(1, Math.floor(budget))) }
  const share = joinBudget()
  return { size: resolveSize(share.size), onBusy: () => share.onBusy() }
}

function resolveRecycle(recycle: Recycle = {}) {
  checkOption(typeof recycle === 'object' && recycle !== null, 'recycle', 'an object', recycle)
  checkNames(recycle, RECYCLE_OPTIONS, 'recycle.')
  const { maxTasks = Infinity, maxHeapBytes = Infinity, maxAge = Infinity } = recycle
  if (maxTasks !== Infinity) checkCount('recycle.maxTasks', maxTasks)
  if (maxHeapBytes !== Infinity) checkCount('recycle.maxHeapBytes', maxHeapBytes)
  const isAge = typeof maxAge === 'number' && maxAge > 0
  checkOption(isAge, 'recycle.maxAge', 'a number of milliseconds above 0', maxAge)
  return { maxTasks, maxHeapBytes, maxAge, recycles: Math.min(maxTasks, maxHeapBytes, maxAge) < Infinity }
}

function resolveRetries(onWorkerExit: PoolExecutorOptions['onWorkerExit']): RetryPolicy | undefined {
  if (onWorkerExit === undefined || onWorkerExit === 'reject') return undefined
  const isObject = typeof onWorkerExit === 'object' && onWorkerExit !== null
  checkOption(isObject, 'onWorkerExit', "'reject' or { retries }", onWorkerExit)
  checkNames(onWorkerExit, RETRY_OPTIONS, 'onWorkerExit.')
  const { retries, backoff = DEFAULT_BACKOFF_MS } = onWorkerExit
  checkCount('onWorkerExit.retries', retries)
  checkMilliseconds('onWorkerExit.backoff', backoff)
  return { retries, backoff }
}

function checkEnvironment({ env, execArgv, output, resourceLimits }: PoolExecutorOptions): void {
  const isOutput = output === undefined || output === 'inherit' || output === 'labelled'
  checkOption(isOutput, 'output', "'inherit' or 'labelled'", output)
  if (resourceLimits !== undefined) checkLimits(resourceLimits)
  const isObject = typeof env === 'object' && env !== null
  checkOption(env === undefined || isObject, 'env', 'an object of environment variables', env)
  checkOption(execArgv === undefined || Array.isArray(execArgv), 'execArgv', 'an array of strings', execArgv)
}

function checkLimits(limits: ResourceLimits): void {
  const isObject = typeof limits === 'object' && limits !== null
  checkOption(isObject, 'resourceLimits', 'an object, as for node:worker_threads', limits)
  checkNames(limits, LIMITS, 'resourceLimits.')
  for (const [name, mib] of Object.entries(limits) as [string, unknown][]) {
    const isSize = mib === undefined || (typeof mib === 'number' && mib > 0)
    checkOption(isSize, `resourceLimits.${name}`, 'a number of MiB above 0', mib)
  }
}

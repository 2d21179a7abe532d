// The options of a worker of a queue.

import {
  checkFunction,
  checkNames,
  checkObject,
  checkOption,
  optionNames,
  ownOptions,
} from '../../errors/check-options.js'
import type { Executor } from '../executor/executor.js'
import { checkPositive, checkMilliseconds } from '../executor/shared-options.js'
import { resolveQueueAddress, type QueueAddress, type ResolvedAddress } from './options.js'

/** Makes the pool that runs the jobs: `threads`, `processes`, or a function of yours that calls one of them. */
export type MakePool = (
  module: URL | string,
  options: { size?: number; name?: string; startTimeout?: number },
) => Executor

/** Options of {@link work}. Times are in milliseconds. */
export interface WorkOptions extends QueueAddress {
  /** Makes the pool that runs the jobs. Default: `threads`. */
  readonly executor?: MakePool
  /** Workers of that pool. Default: one for each CPU of the process (see `cpuBudget`). */
  readonly size?: number
  /** Jobs that run at a time. More than workers is of use for tasks that wait on promises. Default: one for each worker of the pool. */
  readonly concurrency?: number
  /** Shown in thread names, process titles and errors. Default: 'threadwise'. */
  readonly name?: string
  /** Time for the module and the store until `ready`. Default 10 000. */
  readonly startTimeout?: number
  /** Time that close() waits for jobs that run. Default 30 000. */
  readonly closeTimeout?: number
  /** Time without a sign of life after which other workers take over the jobs of this one. Default 10 000. */
  readonly lockDuration?: number
}

export interface ResolvedWorkOptions extends ResolvedAddress {
  readonly makePool: MakePool
  readonly size: number | undefined
  readonly concurrency: number | undefined
  readonly name: string
  readonly startTimeout: number
  readonly closeTimeout: number
  readonly lockDuration: number
}

const NAMES = optionNames(
  'connection queue prefix secret executor size concurrency name startTimeout closeTimeout lockDuration',
)
/** A lock is renewed twice while it lasts, by a process that may be held up for a while. */
const MIN_LOCK_MS = 1000

/** @throws TW_ERR_INVALID_OPTION */
export function resolveWorkOptions(given: WorkOptions, threads: MakePool): ResolvedWorkOptions {
  checkObject('options', given)
  const raw = ownOptions(given)
  checkNames(raw, NAMES)
  const { executor = threads, size, concurrency, name = 'threadwise' } = raw
  const { startTimeout = 10_000, closeTimeout = 30_000, lockDuration = 10_000 } = raw
  checkFunction('executor', executor)
  if (size !== undefined) checkPositive('size', size)
  if (concurrency !== undefined) checkPositive('concurrency', concurrency)
  checkOption(typeof name === 'string' && name !== '', 'name', 'a non-empty string', name)
  for (const [option, value] of Object.entries({ startTimeout, closeTimeout }))
    checkMilliseconds(option, value)
  const isLock = Number.isInteger(lockDuration) && lockDuration >= MIN_LOCK_MS
  checkOption(isLock, 'lockDuration', `a whole number of milliseconds, ${MIN_LOCK_MS} or more`, lockDuration)
  const times = { startTimeout, closeTimeout, lockDuration }
  return { ...resolveQueueAddress(raw), makePool: executor, size, concurrency, name, ...times }
}

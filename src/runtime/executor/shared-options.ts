// Options that executors share: checked once, filled with their defaults, and read-only from then on.

import { checkMessages } from '../task/messages.js'
import {
  checkFunction,
  checkNames,
  checkObject,
  checkOption,
  checkSignal,
  checkWord,
  optionNames,
  ownOptions,
} from '../../errors/check-options.js'
import { ThreadwiseError } from '../../errors/errors.js'
import { checkExecutorNames } from './allowed-options.js'
import type { ExecutorKind } from './stats.js'
import { checkHost, type HostFunctions } from '../task/host.js'
import type { RunOptions, Size } from './executor.js'

/** Options of every executor. */
export interface CommonOptions {
  /**
   * Shown in thread names, process titles and errors. While NODE_ENV is 'development', and in Next, a pool that is made again with
   * the same name, module and options is the one that is open already: a module that is loaded again leaves none behind. Default: 'threadwise'.
   */
  readonly name?: string
  /** Milliseconds that close() waits for accepted tasks. Default 30 000. */
  readonly closeTimeout?: number
  /** Calls that may wait for a worker (for `concurrent`: for a place) beside those that run. 0 or more. Default: no limit. */
  readonly maxQueue?: number
  /**
   * What happens to a call when maxQueue calls wait. 'reject': TW_ERR_QUEUE_FULL. 'wait': it waits outside of the queue
   * until there is room, or its signal aborts. 'discard': TW_ERR_DISCARDED. 'discard-oldest': that, for the call that has waited
   * longest. 'caller-runs': the caller's own thread runs it, one call at a time; those that come meanwhile wait as with 'wait'. Default 'reject'.
   */
  readonly whenFull?: WhenFull
  /**
   * Data for the workers, which `task.workerData` and `setup` give them: each has a copy, of what it was when the executor was made.
   * In the caller's own thread it is the value itself. Default: undefined.
   */
  readonly workerData?: unknown
  /**
   * Functions that tasks may call by `task.host.NAME(...)`: they run in the thread that has made the executor. Arguments, results and errors
   * travel as those of calls. Default: none.
   */
  readonly host?: HostFunctions
  /** Milliseconds that the `teardown` of a worker may take; then the worker is ended. Default 10 000. */
  readonly teardownTimeout?: number
}

/** What happens to a call when the queue is full. */
export type WhenFull = 'reject' | 'caller-runs' | 'discard' | 'discard-oldest' | 'wait'

const WHEN_FULL: readonly WhenFull[] = ['reject', 'caller-runs', 'discard', 'discard-oldest', 'wait']

const RUN_OPTIONS = optionNames(
  'signal timeout queueTimeout priority gracePeriod transfer key onProgress warnAfter sendNow id messages',
)
/** Of the characters of `RunOptions.id`. */
const MAX_ID = 500
const STREAM_OPTIONS = new Set([...RUN_OPTIONS, 'highWaterMark'].filter((name) => name !== 'messages'))

export interface ResolvedCommonOptions {
  readonly name: string
  readonly closeTimeout: number
  readonly maxQueue: number
  readonly whenFull: WhenFull
  readonly teardownTimeout: number
  readonly workerData: unknown
  readonly host?: HostFunctions | undefined
}

export function resolveCommonOptions(kind: ExecutorKind, raw: CommonOptions): ResolvedCommonOptions {
  checkObject('options', raw)
  checkExecutorNames(kind, raw)
  const own = ownOptions(raw)
  const { name = 'threadwise', closeTimeout = 30_000, maxQueue = Infinity, whenFull = 'reject' } = own
  const { teardownTimeout = 10_000, workerData, host } = own
  checkHost(host)
  checkOption(typeof name === 'string' && name.length > 0, 'name', 'a non-empty string', name)
  checkMilliseconds('closeTimeout', closeTimeout)
  checkMilliseconds('teardownTimeout', teardownTimeout)
  const isCount = maxQueue === Infinity || (Number.isInteger(maxQueue) && maxQueue >= 0)
  checkOption(isCount, 'maxQueue', 'a whole number of at least 0, or Infinity', maxQueue)
  checkWord('whenFull', whenFull, WHEN_FULL)
  const isOfUse = own.whenFull === undefined || own.maxQueue !== undefined
  checkOption(
    isOfUse,
    'whenFull',
    'used together with maxQueue, without which the queue is never full',
    whenFull,
  )
  return { name, closeTimeout, maxQueue, whenFull, teardownTimeout, workerData, host }
}

/** A time in milliseconds; longer than a timer can wait (25 days) means for ever. */
export function checkMilliseconds(option: string, value: unknown): asserts value is number {
  checkOption(typeof value === 'number' && value >= 0, option, 'a number of milliseconds, 0 or more', value)
}

export function checkPositive(option: string, value: unknown): asserts value is number {
  checkOption(
    Number.isInteger(value) && (value as number) >= 1,
    option,
    'a whole number of at least 1',
    value,
  )
}

/** A function cannot be sent: it would lose the variables around it. */
const NAME_OF_TASK = {
  function: 'the name of a task (export the function from the task module, and give its name)',
  other: 'the name of a task',
}

/** Checks one call of `method`. Throws what `run` rejects with. */
export function checkCall(name: unknown, args: unknown, method = 'run'): void {
  if (typeof name !== 'string') {
    throw new ThreadwiseError('TW_ERR_INVALID_CALL', {
      call: `${method}()`,
      expected: NAME_OF_TASK[typeof name === 'function' ? 'function' : 'other'],
      received: name,
    })
  }
  if (!Array.isArray(args)) {
    const expected = `a list of arguments, such as ${method}("task", [argument])`
    throw new ThreadwiseError('TW_ERR_INVALID_CALL', {
      call: `${method}("${name}")`,
      expected,
      received: args,
    })
  }
}

/**
 * All options of a call, and what is ours among them. As fields of its own, so that what has got onto Object.prototype, by whatever data, is none:
 * others are spread over it, in the same order, which makes all of one hidden class.
 */
export const NO_OPTIONS = Object.freeze({
  signal: undefined,
  timeout: undefined,
  queueTimeout: undefined,
  priority: undefined,
  gracePeriod: undefined,
  transfer: undefined,
  key: undefined,
  onProgress: undefined,
  warnAfter: undefined,
  sendNow: undefined,
  id: undefined,
  highWaterMark: undefined,
  listener: undefined,
})

/** The options of one call, which its caller has written, checked. Throws what `run` rejects with. */
export function ownRunOptions<O extends RunOptions>(given: O | undefined, method = 'run'): O | undefined {
  if (given === undefined) return undefined
  checkObject(`the third argument of ${method}()`, given)
  checkNames(given, method === 'stream' ? STREAM_OPTIONS : RUN_OPTIONS)
  const own = { ...NO_OPTIONS, ...given }
  checkRunOptions(own)
  if (method === 'stream' && own.highWaterMark !== undefined)
    checkPositive('highWaterMark', own.highWaterMark)
  return own
}

function checkRunOptions(options: RunOptions): void {
  const { signal, timeout, queueTimeout, gracePeriod, transfer, key, priority, onProgress } = options
  const { warnAfter, sendNow, id, messages } = options
  checkMessages(messages)
  checkSignal('signal', signal)
  if (timeout !== undefined) checkMilliseconds('timeout', timeout)
  if (queueTimeout !== undefined) checkMilliseconds('queueTimeout', queueTimeout)
  if (gracePeriod !== undefined) checkMilliseconds('gracePeriod', gracePeriod)
  if (warnAfter !== undefined) checkMilliseconds('warnAfter', warnAfter)
  if (priority !== undefined) {
    const isPriority = Number.isInteger(priority) && Math.abs(priority) <= 20
    checkOption(isPriority, 'priority', 'a whole number from -20 to 20', priority)
  }
  if (transfer !== undefined) checkTransfer(transfer)
  const isKey = key === undefined || typeof key === 'string' || (typeof key === 'number' && !isNaN(key))
  checkOption(isKey, 'key', 'a string or a number', key)
  checkFunction('onProgress', onProgress)
  checkOption(sendNow === undefined || typeof sendNow === 'boolean', 'sendNow', 'true or false', sendNow)
  const isId = id === undefined || (typeof id === 'string' && id !== '' && id.length <= MAX_ID)
  checkOption(isId, 'id', `a non-empty string of at most ${MAX_ID} characters`, id)
}

/** Whatever else a platform can move it knows itself. */
function checkTransfer(transfer: unknown): void {
  checkOption(Array.isArray(transfer), 'transfer', 'an array', transfer)
  for (const [i, item] of (transfer as readonly unknown[]).entries()) {
    const isView = ArrayBuffer.isView(item)
    const expected = isView
      ? 'its buffer: a view cannot be moved'
      : 'an ArrayBuffer, a MessagePort or a web stream'
    checkOption(!isView && mayBeMoved(item), `transfer[${i}]`, expected, item)
  }
}

function mayBeMoved(item: unknown): boolean {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false
  return Object.getPrototypeOf(item) !== Object.prototype
}

// The option `size`: a number of workers, or a range of them.

const SIZE_OPTIONS = optionNames('min max')

/** The most workers that the machine holds, and how to say that. */
export interface Most {
  readonly count: number
  readonly text: string
}

/** @throws TW_ERR_INVALID_OPTION */
export function resolveSize(size: Size, most?: Most): SizeRange {
  if (typeof size !== 'object' || size === null) {
    checkSize('size', size, most)
    return { min: size, max: size }
  }
  checkNames(size, SIZE_OPTIONS, 'size.')
  const { max, min = 1 } = ownOptions(size)
  checkSize('size.max', max, most)
  const isMin = Number.isInteger(min) && min >= 0 && min <= max
  checkOption(isMin, 'size.min', 'a whole number from 0 to size.max', min)
  return { min, max }
}

function checkSize(option: string, value: unknown, most: Most | undefined): asserts value is number {
  checkPositive(option, value)
  if (most) checkOption(value <= most.count, option, `a whole number from 1 to ${most.text}`, value)
}

export interface SizeRange {
  readonly min: number
  readonly max: number
}

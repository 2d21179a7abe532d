// The options of a Piscina: checked with the words of piscina, filled with its defaults, and read-only from then on.

import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { checkOption, ownOptions } from '../../errors/check-options.js'
import type { ResourceLimits } from '../pool/pool-options.js'
import type { PiscinaLoadBalancer } from './balanced-threads.js'
import { FixedQueue, isTaskQueue, type TaskQueue } from './task-queue.js'

/** Options of a {@link Piscina}; all have defaults. Times are in milliseconds. */
export interface PiscinaOptions {
  /** Path or file URL of the task file. Default: each call names its own. */
  readonly filename?: string | null
  /** Name of the function in it. Default 'default'. */
  readonly name?: string
  /** Default: half of the CPUs, at least 1. */
  readonly minThreads?: number
  /** Default: 1.5 for each CPU. */
  readonly maxThreads?: number
  /** Milliseconds after which a thread beyond minThreads leaves. Default 0: soon. */
  readonly idleTimeout?: number
  /** Calls that may wait. 'auto': the square of maxThreads. Default: no limit. */
  readonly maxQueue?: number | 'auto'
  /** Calls that one thread may have at a time; more than one runs only while others wait on promises. Default 1. */
  readonly concurrentTasksPerWorker?: number
  /** Without effect: the event loop of a thread goes on between its calls. */
  readonly atomics?: 'sync' | 'async' | 'disabled'
  /** Memory limits of each thread. Default: those of Node. */
  readonly resourceLimits?: ResourceLimits
  /** Added to process.argv of the threads. */
  readonly argv?: readonly string[]
  /** Node options of the threads. Default: those of the program. */
  readonly execArgv?: readonly string[]
  /** All environment variables of the threads. Default: a copy of the program's. */
  readonly env?: Record<string, string | undefined>
  /** A copy for each thread. */
  readonly workerData?: unknown
  /** Which of the calls that wait is next. Default: the oldest. */
  readonly taskQueue?: TaskQueue
  /** Added to the priority of the threads; Linux only. Default 0. */
  readonly niceIncrement?: number
  /** Always true. */
  readonly trackUnmanagedFds?: true
  /** Milliseconds that close() waits for calls. Default 30 000. */
  readonly closeTimeout?: number
  /** Keep the histograms. Default true. */
  readonly recordTiming?: boolean
  /** Without effect: calls always keep their order. */
  readonly stricterFIFO?: boolean
  /** Chooses the thread of each call. Default: whichever is free. */
  readonly loadBalancer?: PiscinaLoadBalancer
  /** Keep a histogram for each thread, which `loadBalancer` sees. Default false. */
  readonly workerHistogram?: boolean
}

/** The options with their defaults. */
export interface FilledOptions extends Omit<Required<PiscinaOptions>, OptionalName> {
  /** A path; null: each call names its own. */
  readonly filename: string | null
  /** Infinity: no limit. */
  readonly maxQueue: number
  /** As they were given. */
  readonly resourceLimits: ResourceLimits | undefined
  /** As they were given. */
  readonly argv: readonly string[] | undefined
  /** As they were given. */
  readonly execArgv: readonly string[] | undefined
  /** As it was given. */
  readonly env: Record<string, string | undefined> | undefined
  /** As it was given. */
  readonly loadBalancer: PiscinaLoadBalancer | undefined
}

type OptionalName = 'filename' | 'maxQueue' | 'resourceLimits' | 'argv' | 'execArgv' | 'env' | 'loadBalancer'

type Given = Readonly<Record<string, unknown>>

export function fillOptions(given: PiscinaOptions): FilledOptions {
  const own = ownOptions(given)
  checkTypes(own as Given)
  refuseForeign(own as Given)
  const { filename, maxQueue = Infinity, taskQueue = new FixedQueue(), ...rest } = own
  const size = sizeOf(own)
  const options = {
    name: 'default',
    idleTimeout: 0,
    concurrentTasksPerWorker: 1,
    atomics: 'sync',
    niceIncrement: 0,
    trackUnmanagedFds: true,
    closeTimeout: 30_000,
    recordTiming: true,
    stricterFIFO: false,
    workerHistogram: false,
    ...withoutUndefined(rest),
    ...size,
    taskQueue,
    filename: filename ? taskFilePath(filename) : null,
    maxQueue: maxQueue === 'auto' ? size.maxThreads ** 2 : maxQueue,
  }
  return ownOptions(options) as FilledOptions
}

/** Of a path or a file URL. */
export function taskFilePath(filename: string): string {
  return filename.startsWith('file:') ? fileURLToPath(filename) : filename
}

function withoutUndefined(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

/** A limit that is given moves the default of the other one. */
function sizeOf({ minThreads, maxThreads }: PiscinaOptions) {
  const cpus = availableParallelism()
  const min = minThreads ?? Math.max(Math.floor(cpus / 2), 1)
  const max = maxThreads ?? cpus * 1.5
  return { minThreads: Math.min(min, maxThreads ?? min), maxThreads: Math.max(max, minThreads ?? max) }
}

type Check = readonly [name: string, expected: string, isValid: (value: unknown) => boolean]

const isText = (value: unknown) => typeof value === 'string' || value === null
const isBoolean = (value: unknown) => typeof value === 'boolean'
const isAtLeast = (least: number) => (value: unknown) => typeof value === 'number' && value >= least
const canBeNegative = process.platform === 'win32'

/** Undefined is always valid. The words are those of piscina, which programs match. */
const CHECKS: readonly Check[] = [
  ['filename', 'must be a string or null', isText],
  ['name', 'must be a string or null', isText],
  ['minThreads', 'must be a non-negative integer', isAtLeast(0)],
  ['maxThreads', 'must be a positive integer', isAtLeast(1)],
  ['idleTimeout', 'must be a non-negative integer', isAtLeast(0)],
  ['maxQueue', 'must be a non-negative integer', (value) => value === 'auto' || isAtLeast(0)(value)],
  ['concurrentTasksPerWorker', 'must be a positive integer', isAtLeast(1)],
  [
    'atomics',
    'should be a value of sync, sync or disabled.',
    (value) => value === null || ['sync', 'async', 'disabled'].includes(value as string),
  ],
  ['resourceLimits', 'must be an object', (value) => typeof value === 'object' && value !== null],
  ['taskQueue', 'must be a TaskQueue object', isTaskQueue],
  [
    'niceIncrement',
    'must be a non-negative integer on Unix systems',
    isAtLeast(canBeNegative ? -Infinity : 0),
  ],
  ['trackUnmanagedFds', 'must be a boolean value', isBoolean],
  ['closeTimeout', 'must be a non-negative integer', isAtLeast(0)],
  [
    'loadBalancer',
    'must be a function with at least two args',
    (value) => typeof value === 'function' && value.length > 0,
  ],
  ['workerHistogram', 'must be a boolean', isBoolean],
  ['stricterFIFO', 'must be a boolean', isBoolean],
]

function checkTypes(options: Given): void {
  for (const [name, expected, isValid] of CHECKS) {
    const value = options[name]
    if (value !== undefined && !isValid(value)) throw new TypeError(`options.${name} ${expected}`)
  }
  const { minThreads = 0, maxThreads = Infinity } = options as PiscinaOptions
  if (minThreads > maxThreads)
    throw new RangeError('options.minThreads and options.maxThreads must not conflict')
}

/** They would have no effect, and whoever gave one would not know. */
function refuseForeign({ loadBalancer, workerHistogram, trackUnmanagedFds, env }: Given): void {
  const refuse = (name: string, isForeign: boolean, instead: string) =>
    checkOption(!isForeign, name, `left out: threadwise/piscina has none (${instead})`, options[name])
  const options: Given = { workerHistogram, trackUnmanagedFds, env }
  const isUnseen = workerHistogram === true && loadBalancer === undefined
  refuse('workerHistogram', isUnseen, 'but for a loadBalancer; see stats().workers of threads()')
  refuse('trackUnmanagedFds', trackUnmanagedFds === false, 'the threads close what tasks leave open')
  refuse('env', typeof env === 'symbol', 'each thread has a copy of the environment')
}

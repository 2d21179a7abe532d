// web: runs tasks in Web Workers of a page.

import { checkOption, ownOptions } from '../../errors/check-options.js'
import { ThreadwiseError } from '../../errors/errors.js'
import type { Executor } from '../executor/executor.js'
import type { WhenFull } from '../executor/shared-options.js'
import { createPoolExecutor } from '../pool/pool-executor.js'
import type { PoolExecutorOptions, Recycle } from '../pool/pool-options.js'
import { browser, hasSharedMemory, type WebWorker } from './browser.js'
import { withInlineFallback } from './inline-worker.js'
import { makeWorker, type WorkerUrl } from './make-worker.js'
import { namedWebPool } from './named-web-pool.js'
import { startWebWorker } from './start-web-worker.js'

type NodeOnly = 'budget' | 'control' | 'env' | 'execArgv' | 'output' | 'resourceLimits'

/** Options of {@link web}; all have defaults. Times are in milliseconds. */
export interface WebOptions extends Omit<
  PoolExecutorOptions,
  NodeOnly | 'size' | 'tasksPerWorker' | 'whenFull' | 'recycle'
> {
  /**
   * Number of workers, or a range such as `{ min: 0, max: 4 }`: then workers start when calls wait, and leave when they were not
   * needed for idleTimeout. Default: one less than `navigator.hardwareConcurrency`, from 1 to 8.
   */
  readonly size?: PoolExecutorOptions['size']
  /**
   * Calls that one worker may hold at a time. With more than one, calls run while others wait on promises, and then
   * `task.signal` and `task.progress` of these are known only up to their first `await`. Default: calls take turns, so that these are known, and one that
   * waits for the page lets others in.
   */
  readonly tasksPerWorker?: number
  /** What happens to a call when maxQueue calls wait, as for other executors; a page cannot run it itself. Default 'reject'. */
  readonly whenFull?: Exclude<WhenFull, 'caller-runs'>
  /**
   * When workers start: with the first call, or with whoever looks at `ready`; 'now': as the pool is made. Default: with the first call.
   */
  readonly start?: 'now' | 'first-call'
  /**
   * Where a worker cannot start, as in a component test or under a policy that forbids them: 'inline' runs the tasks in the page's own thread. Such a call
   * blocks the page while it computes, and no `timeout` ends it then. Default: calls reject with TW_ERR_START_FAILED.
   */
  readonly fallback?: 'inline'
  /**
   * Gives what `new Worker()` gets in place of the address of the file: for Trusted Types, or a file of another origin. With the function of an own file
   * and with the plugin. Default: the address.
   */
  readonly workerUrl?: WorkerUrl
  /** When a worker is replaced, without losing a call. Default: never. */
  readonly recycle?: Omit<Recycle, 'maxHeapBytes'>
}

/** Of a browser that does not say how many CPUs there are. */
const USUAL_CPUS = 3
/** WebKit tells of 4 on a machine with 2, and each worker takes some MB. */
const MAX_BY_DEFAULT = 8
const MAX_WORKERS = { count: 256, text: '256' }
const CAPABILITIES = { parallel: true, isolated: true, copies: true, transfer: true }

/**
 * Runs tasks in Web Workers. Arguments and results are structured clones; `transfer` among the run options moves ArrayBuffers,
 * ImageBitmaps and other transferable objects instead.
 *
 * @param create makes one worker, whose file calls `serve` of `threadwise/web/worker`. Written as in the example, bundlers find that file. With
 * `threadwise/unplugin` in the bundler: the URL of the task module, as for `threads`.
 * @throws TW_ERR_INVALID_OPTION
 * @example
 * const pool = web(() => new Worker(new URL('./tasks.worker.js', import.meta.url), { type: 'module' }))
 * const blurred = await pool.tasks.blur(tile)
 */
export function web<T = object>(create: (() => WebWorker) | URL, options: WebOptions = {}): Executor<T> {
  checkCreate(create)
  const own = ownOptions(options)
  checkOwn(own)
  const { tasksPerWorker, concurrency, size, maxQueue, start, fallback, workerUrl } = own
  const isOnePromise = tasksPerWorker === undefined && concurrency === undefined && maxQueue === undefined
  const waitingPerWorker = isOnePromise ? 1 : Infinity
  const module = nameOf(create)
  const isOnServer = browser.Worker === undefined && fallback === undefined
  const startOne = () => (fallback ? withInlineFallback(create, workerUrl) : makeWorker(create, workerUrl))
  const given = isOnServer ? { ...options, size: { min: 0, max: 1 } } : options
  const makePool = () =>
    createPoolExecutor<T>(module, given, {
      kind: 'web',
      most: MAX_WORKERS,
      inMemory: () => MAX_WORKERS.count,
      waitingPerWorker,
      writesEarly: true,
      startsLate: start !== 'now',
      capabilities: { ...CAPABILITIES, sharedMemory: hasSharedMemory() },
      shareBudget: () => ({ size: size === undefined ? defaultSize() : 1, onBusy() {}, leave() {} }),
      createRuntime: (settings) => ({
        startWorker(ids, events) {
          if (isOnServer) throw noWorkers(module)
          return startWebWorker({ ...settings, start: startOne, waitingPerWorker }, ids, events)
        },
      }),
    })
  return namedWebPool(create, own, makePool)
}

/** A bundler with our plugin puts a function in the place of a URL. */
function checkCreate(create: unknown): asserts create is () => WebWorker {
  const worker = "() => new Worker(new URL('./tasks.worker.js', import.meta.url), { type: 'module' })"
  const expected = `a function that makes a worker: ${worker}. With threadwise/unplugin among the plugins of the bundler also new URL('./tasks.js', import.meta.url)`
  checkOption(typeof create === 'function', 'the first argument of web()', expected, create)
}

function checkOwn(options: object): void {
  const { whenFull, start, fallback, workerUrl } = options as Readonly<Record<string, unknown>>
  const isOther = whenFull !== 'caller-runs'
  checkOption(isOther, 'whenFull', 'another word: a page does not load the tasks', whenFull)
  checkOption(
    [undefined, 'now', 'first-call'].includes(start as string),
    'start',
    "'now' or 'first-call'",
    start,
  )
  checkOption(fallback === undefined || fallback === 'inline', 'fallback', "'inline'", fallback)
  const isFunction = workerUrl === undefined || typeof workerUrl === 'function'
  checkOption(isFunction, 'workerUrl', 'a function', workerUrl)
}

function defaultSize(): number {
  const cpus = browser.navigator?.hardwareConcurrency ?? USUAL_CPUS
  return Math.max(1, Math.min(cpus - 1, MAX_BY_DEFAULT))
}

function noWorkers(module: string): ThreadwiseError {
  const reason = 'there are no Web Workers here'
  const advice =
    'Where a page is rendered on a server, make the calls in the browser only, as in an effect or an event handler.'
  return new ThreadwiseError('TW_ERR_START_FAILED', { module, reason, advice })
}

/** The code of the function, for messages: it holds the name of the file. */
function nameOf(create: () => WebWorker): string {
  const code = String(create).replace(/\s+/g, ' ')
  return code.length > 100 ? `${code.slice(0, 100)}...` : code
}

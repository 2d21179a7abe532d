// The threads of a Piscina: a pool of ours whose task module calls the function that each call names.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { resolve } from 'node:path'
import { isThreadwiseError } from '../../errors/errors.js'
import { sharedState } from '../../primitives/shared-state.js'
import type { Executor, Transferable, WorkerStats } from '../executor/executor.js'
import { threads } from '../threads/threads-executor.js'
import { BalancedThreads, type ChosenThread } from './balanced-threads.js'
import type { CallRequest, Threads } from './calls.js'
import { unwrapMoved } from './movable.js'
import type { FilledOptions } from './options.js'
import taskCode from './piscina-entry.js?module'
import { NOT_ABORTED, OVER, type PiscinaInit } from './piscina-init.js'
import type { PiscinaTask } from './task-queue.js'

/** Of one task file or of many: a call names its function. */
const TASKS = `data:text/javascript,${encodeURIComponent(taskCode)}`

/** Calls with a signal that can be open at a time and have their thread ended while they wait on promises. */
const ABORT_WORDS = 1024

export interface PiscinaEvents {
  onUp(worker: WorkerEvent): void
  onExited(worker: WorkerEvent): void
  /** A task has posted it. */
  onMessage(message: unknown): void
  /** What was thrown there has ended a worker. */
  onError(error: unknown): void
}

export interface WorkerEvent {
  readonly workerId: number
  readonly threadId: number
}

/** Names are told apart in the whole process, also by another copy of the package. */
const numbers = sharedState('piscina', 1, () => ({ last: 0 }))

export class PiscinaWorkers implements Threads {
  readonly #options: FilledOptions
  readonly #pool: Executor
  readonly #name = `piscina-${++numbers.last}`
  readonly #words = new Int32Array(new SharedArrayBuffer(ABORT_WORDS * Int32Array.BYTES_PER_ELEMENT))
  readonly #freeWords = Array.from({ length: ABORT_WORDS }, (_, i) => i)
  readonly #max: number
  readonly #events: PiscinaEvents
  readonly #stopListening: () => void
  readonly #balanced: BalancedThreads | undefined
  /** Of the call that is made just now. */
  #lane = 0

  constructor(options: FilledOptions, min: number, events: PiscinaEvents) {
    this.#options = options
    this.#max = Math.ceil(options.maxThreads)
    this.#events = events
    const { loadBalancer, workerHistogram } = options
    if (loadBalancer) this.#balanced = new BalancedThreads({ loadBalancer, workerHistogram }, this)
    this.#stopListening = listen(this.#name, events)
    try {
      this.#pool = threads(TASKS, this.#poolOptions(min))
    } catch (error) {
      this.#stopListening()
      const isOfData = isThreadwiseError(error) && error.message.startsWith('workerData ')
      throw isOfData ? uncloneable(error) : error
    }
  }

  #poolOptions(min: number) {
    const { idleTimeout, concurrentTasksPerWorker, resourceLimits, execArgv, env } = this.#options
    return {
      name: this.#name,
      size: { min: Math.ceil(min), max: this.#max },
      idleTimeout,
      startTimeout: Infinity,
      tasksPerWorker: Math.floor(concurrentTasksPerWorker),
      onWorkerError: (error: unknown) => isThreadwiseError(error) || this.#events.onError(error),
      workerData: this.#init,
      ...(env && { env: onlyThese(env) }),
      ...(resourceLimits && { resourceLimits }),
      ...(execArgv && { execArgv }),
      ...(this.#balanced && { balance: () => this.#lane }),
    }
  }

  get #init(): PiscinaInit {
    const { filename, name, argv, niceIncrement, workerData: data } = this.#options
    const abortWords = this.#words.buffer
    return { filename: filename && resolve(filename), name, argv, niceIncrement, data, abortWords }
  }

  /** Up or starting. */
  get size(): number {
    return this.#pool.size
  }

  get workers(): readonly WorkerStats[] {
    return this.#pool.stats().workers.filter(({ state }) => state === 'up' || state === 'starting')
  }

  /** One more, now. It leaves again as those do that come by themselves. */
  grow(): void {
    const max = this.#max
    this.#pool.resize({ min: Math.min(this.size + 1, max), max })
    this.#pool.resize({ min: Math.min(Math.ceil(this.#options.minThreads), max), max })
  }

  choose(task: PiscinaTask): ChosenThread | undefined {
    return this.#balanced!.choose(task)
  }

  /** Rejects with errors as those of piscina. */
  async run(request: CallRequest, signal: AbortSignal | undefined, lane = 0): Promise<unknown> {
    this.#lane = lane
    try {
      return await this.#send(request, signal)
    } catch (error) {
      throw asPiscinaError(error)
    }
  }

  #send({ task, filename, name, transferList }: CallRequest, signal: AbortSignal | undefined) {
    const isOwn = filename === this.#options.filename && name === this.#options.name
    const value = unwrapMoved(task)
    const transfer = transferList as readonly Transferable[]
    if (isOwn && transfer.length === 0 && !signal) return this.#pool.run('run', [value])
    const word = signal ? (this.#freeWords.pop() ?? -1) : -1
    if (word >= 0) Atomics.store(this.#words, word, NOT_ABORTED)
    const args = [value, resolve(filename), name, word]
    const result = this.#pool.run('runNamed', args, {
      ...(transfer.length > 0 && { transfer }),
      ...(signal && { signal, gracePeriod: 0 }),
    })
    return word < 0 ? result : this.#watch(word, result, signal!)
  }

  async #watch(word: number, result: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
    const end = () => {
      Atomics.store(this.#words, word, OVER)
      Atomics.notify(this.#words, word)
    }
    signal.addEventListener('abort', end)
    try {
      return await result
    } finally {
      end() // the listener in the thread, which has heard that the call is over, goes
      this.#freeWords.push(word)
    }
  }

  async end(): Promise<void> {
    await this.#pool.destroy()
    this.#stopListening()
  }
}

/** The pool adds to the environment of the program; piscina replaces it. */
function onlyThese(env: Record<string, string | undefined>): Record<string, string | undefined> {
  return { ...Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined])), ...env }
}

interface WorkerMessage extends WorkerEvent {
  readonly message?: unknown
}

function listen(name: string, events: PiscinaEvents): () => void {
  const own = (tell: (worker: WorkerMessage) => void) => (message: unknown) => {
    const worker = message as WorkerMessage & { readonly executor: string }
    if (worker.executor === name) tell(worker)
  }
  const listeners = [
    ['threadwise:worker:up', own((worker) => events.onUp(worker))],
    ['threadwise:worker:exited', own((worker) => events.onExited(worker))],
    ['threadwise:worker:message', own(({ message }) => events.onMessage(message))],
  ] as const
  for (const [channel, listener] of listeners) subscribe(channel, listener)
  return () => {
    for (const [channel, listener] of listeners) unsubscribe(channel, listener)
  }
}

/** Errors of ours, as programs that use piscina match them; others are those of the task. */
function asPiscinaError(error: unknown): unknown {
  if (!isThreadwiseError(error)) return error
  const { code, message, cause } = error
  if (code === 'TW_ERR_NOT_CLONEABLE') return uncloneable(error)
  if (code === 'TW_ERR_DESTROYED' || code === 'TW_ERR_CLOSED') return new Error('Terminating worker thread')
  if (cause !== undefined) return cause
  const [, exitCode] = /with exit code (\d+)/.exec(message) ?? []
  return code === 'TW_ERR_WORKER_EXITED' && exitCode !== undefined
    ? new Error(`worker exited with code: ${exitCode}`, { cause: error })
    : error
}

function uncloneable(cause: Error): DOMException {
  return Object.assign(new DOMException(`${cause.message} It could not be cloned.`, 'DataCloneError'), {
    cause,
  })
}

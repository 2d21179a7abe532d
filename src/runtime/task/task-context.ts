// The task that is running now, for `threadwise/task`. Workers and in-thread executors enter it; user code reads it.
//
// The cost of an AsyncLocalStorage is paid only by modules that import `threadwise/task`: until then `storage` is empty
// and tasks run without a context. The registry is shared: the user's import must reach the copy that runs the worker.

import { sharedState } from '../../primitives/shared-state.js'
import { enterLater, type Enter } from './async-scope.js'

export interface TaskContext {
  readonly signal: AbortSignal
  readonly place: WorkerPlace
  /** Sends a value to the caller; undefined when nobody listens. */
  readonly report?: ((value: unknown) => void) | undefined
  /** What the caller sends while the task runs; absent: nothing. */
  messages?: AsyncIterableIterator<unknown>
  /** Calls another task of the same executor. */
  readonly fork?: ((name: string, args: readonly unknown[]) => Promise<unknown>) | undefined
  /** Calls a function that the executor was given. */
  readonly callHost?: ((name: string, args: readonly unknown[]) => Promise<unknown>) | undefined
}

/** What runs the calls that tasks fork. */
export interface ForkCalls {
  call(name: string, args: readonly unknown[], parent: AbortableContext): Promise<unknown>
  callHost(name: string, args: readonly unknown[], parent: AbortableContext): Promise<unknown>
}

/** The worker that runs a call. */
export interface WorkerInfo {
  /** Name of the executor's workers, as given in its options. */
  readonly name: string
  /** Number of this worker within its pool, from 1; 0 in the caller's own thread. One that replaces another has a new one. */
  readonly id: number
  /**
   * Its place among the workers of its pool, from 1 to `size`, for what each of them has one of, such as a test database; 0 in the caller's own
   * thread. One that replaces another has the same. While a worker that leaves still finishes, two have it.
   */
  readonly slot: number
}

/** A worker as the tasks in it see it. */
export interface WorkerPlace {
  readonly info: WorkerInfo
  /** What its executor was given for its workers. Read when it is asked for: its classes are registered by then. */
  readonly workerData: unknown
}

interface Storage {
  run<R>(context: TaskContext, callback: () => R): R
  getStore(): TaskContext | undefined
}

interface Registry {
  storage: Storage | undefined
  /** Of a worker: for what its module does outside of calls, as while it loads. */
  place?: WorkerPlace
  /** In a worker that has no AsyncLocalStorage: the call that waits on a promise, if it is the only one. */
  whileWaiting?: () => TaskContext | undefined
}

export const registry = sharedState<Registry>('task-context', 1, () => ({ storage: undefined }))

/** The call that is running now. */
export function runningCall(): TaskContext | undefined {
  return registry.storage?.getStore() ?? registry.whileWaiting?.()
}

/** A context whose signal exists only once somebody looks at it; an AbortController costs a microsecond. */
export class AbortableContext implements TaskContext {
  readonly place: WorkerPlace
  report: ((value: unknown) => void) | undefined
  messages?: AsyncIterableIterator<unknown>
  #controller: AbortController | undefined
  /** Into the contexts of the task, which listens to its signal, as whoever aborts it is in others. */
  #inContexts: Enter | undefined
  #reason: { value: unknown } | undefined
  readonly #forks: ForkCalls
  readonly #poll: (() => void) | undefined
  #listeners: Set<(reason: unknown) => void> | undefined

  /** The number of the call in its worker. */
  readonly callId: number

  /** `poll` looks for a cancellation while the event loop stands still. */
  constructor(place: WorkerPlace, forks: ForkCalls, callId = 0, poll?: () => void) {
    this.place = place
    this.callId = callId
    this.#forks = forks
    this.#poll = poll
  }

  fork(name: string, args: readonly unknown[]): Promise<unknown> {
    return this.#forks.call(name, args, this)
  }

  callHost(name: string, args: readonly unknown[]): Promise<unknown> {
    return this.#forks.callHost(name, args, this)
  }

  get isAborted(): boolean {
    return this.#reason !== undefined
  }

  /** Calls back when it aborts. Not by the signal, which warns of more than ten listeners. The returned function ends that. */
  onAbort(callback: (reason: unknown) => void): () => void {
    const listeners = (this.#listeners ??= new Set())
    listeners.add(callback)
    return () => listeners.delete(callback)
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      this.#inContexts = enterLater()
      if (this.#poll) makeLive(this.#controller.signal, this.#poll)
    }
    if (this.#reason) this.#controller.abort(this.#reason.value)
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    this.#reason ??= { value: reason }
    const controller = this.#controller
    if (controller) this.#inContexts!(() => controller.abort(reason))
    for (const callback of this.#listeners ?? []) callback(reason)
  }
}

// A signal that a loop can ask which never lets the event loop turn.

const platform = AbortSignal.prototype

/** `poll` is called before each look at the signal, and may abort it. */
export function makeLive(signal: AbortSignal, poll: () => void): void {
  const after = (name: 'aborted' | 'reason') => ({
    get() {
      poll()
      return Reflect.get(platform, name, signal) as unknown
    },
  })
  Object.defineProperties(signal, {
    aborted: after('aborted'),
    reason: after('reason'),
    throwIfAborted: {
      value() {
        poll()
        platform.throwIfAborted.call(signal)
      },
    },
  })
}

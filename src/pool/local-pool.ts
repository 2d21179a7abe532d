// The engine behind inline and concurrent: runs tasks in the caller's own thread, at most `limit` at a time.
//
// There is no worker to lose. A cancelled call settles at once, but its function cannot be stopped from outside: it
// keeps its place among the `limit` until it ends, since it is still doing the work that the limit bounds.

import { ThreadwiseError } from '../errors.js'
import { watchCancellation, type Cancellation } from '../executor/cancellation.js'
import type { RunOptions } from '../executor/executor.js'
import { inTime, lateCallError, type LifeState } from '../executor/lifecycle.js'
import type { FindTask } from '../task/load-task.js'
import { contexts, type Enter } from '../task/define-context.js'
import { AbortableContext, registry } from '../task/task-context.js'
import { isPromise } from '../task/task-function.js'
import { extendStack } from './caller-stack.js'
import { createKeepAlive } from './keep-alive.js'
import { loadInTime, type Loading } from './load-in-time.js'
import { RingQueue } from './ring-queue.js'

export interface LocalPoolOptions {
  readonly module: string
  readonly name: string
  /** Calls whose functions may be running at a time. */
  readonly limit: number
  readonly startTimeout: number
  readonly closeTimeout: number
}

interface LocalCall {
  readonly name: string
  /** Empty once it has settled: the queue must not hold what the caller gave. */
  args: readonly unknown[]
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
  watch: Cancellation | undefined
  context: AbortableContext | undefined
  /** Back into the contexts of its caller, for a call that has waited. */
  enter: Enter | undefined
  hasStarted: boolean
  /** Its function has thrown; it was not refused, cancelled or given up. */
  hasThrown: boolean
  isSettled: boolean
}

export class LocalPool {
  readonly ready: Promise<void>
  readonly counts = { queued: 0, running: 0, completed: 0, failed: 0, cancelled: 0 }
  readonly #options: LocalPoolOptions
  readonly #queue = new RingQueue<LocalCall>()
  readonly #unsettled = new Set<LocalCall>()
  readonly #keepAlive = createKeepAlive()
  readonly #loading: Loading
  #active = 0
  #isPumping = false
  #findTask: FindTask | undefined
  #loadError: unknown
  #life: LifeState = 'open'
  #destroyReason: unknown
  #closing: Promise<void> | undefined
  #onIdle: (() => void) | undefined

  constructor(options: LocalPoolOptions) {
    this.#options = options
    this.#loading = loadInTime(options.module, options.startTimeout)
    this.ready = this.#load()
    this.ready.catch(() => {}) // who never looks at `ready` learns of the failure from the calls
  }

  submit(name: string, args: readonly unknown[], options: RunOptions | undefined): Promise<unknown> {
    if (this.#life !== 'open') return Promise.reject(lateCallError(this.#life, this.#destroyReason))
    if (options?.signal?.aborted) return Promise.reject(options.signal.reason)
    if (this.#loadError !== undefined) return Promise.reject(this.#loadError)
    const isPlain = options?.signal === undefined && options?.timeout === undefined && !registry.storage
    if (isPlain && this.#findTask && this.#active < this.#options.limit)
      return this.#callNow(name, args, this.#findTask)
    let call!: LocalCall
    const result = new Promise<unknown>((resolve, reject) => {
      call = { ...blankCall, name, args, resolve, reject }
    })
    if (options?.signal || options?.timeout !== undefined) this.#watch(call, options)
    this.counts.queued++
    this.#unsettled.add(call)
    // Called here, and not inside the promise's constructor, so that few frames of ours stand in the stack of an error.
    if (this.#findTask && this.#active < this.#options.limit) {
      this.#start(call, this.#findTask)
      return result
    }
    if (contexts.count > 0) call.enter = contexts.capture!()
    this.#queue.push(call)
    return result.then(undefined, (reason) => {
      if (call.hasThrown) extendStack(reason, name)
      throw reason
    })
  }

  /** A call that nothing can cancel, and that need not wait: a synchronous one costs little more than its function. */
  #callNow(name: string, args: readonly unknown[], findTask: FindTask): Promise<unknown> {
    let value: unknown
    let isOpen: boolean
    this.#active++ // the limit holds for calls that the function itself makes, too
    try {
      value = findTask(name)(...args)
      isOpen = isPromise(value) // looks at a property of the user's object, which may throw
    } catch (thrown) {
      this.#endNow('failed')
      return Promise.reject(thrown)
    }
    if (!isOpen) {
      this.#endNow('completed')
      return Promise.resolve(value)
    }
    return new Promise((resolve, reject) => {
      const call: LocalCall = { ...blankCall, name, args: NO_ARGS, resolve, reject, hasStarted: true }
      this.#unsettled.add(call)
      this.counts.running++
      this.#follow(call, value)
    })
  }

  #endNow(outcome: 'completed' | 'failed'): void {
    this.#active--
    this.counts[outcome]++
    if (this.#queue.size > 0) this.#pump()
  }

  close(timeout = this.#options.closeTimeout): Promise<void> {
    if (this.#life === 'open') {
      this.#life = 'closing'
      this.#closing = this.#close(timeout)
    }
    return this.#closing ?? Promise.resolve()
  }

  async destroy(reason: unknown): Promise<void> {
    if (this.#life === 'closed' || this.#life === 'destroyed') return
    this.#life = 'destroyed'
    this.#destroyReason = reason
    this.#failAll(() => lateCallError('destroyed', reason))
    this.#end()
  }

  async #close(timeout: number): Promise<void> {
    this.#keepAlive.set(!this.#isIdle())
    const idle = this.#isIdle() ? Promise.resolve() : new Promise<void>((resolve) => (this.#onIdle = resolve))
    if (!(await inTime(idle, timeout))) {
      this.#failAll(({ name }) => new ThreadwiseError('TW_ERR_CLOSED', { late: true, task: name, timeout }))
    }
    if (this.#life === 'closing') this.#life = 'closed'
    this.#end()
  }

  /** A module that is still loading must not hold the program any longer. */
  #end(): void {
    this.#loading.stop(lateCallError(this.#life, this.#destroyReason))
    this.#keepAlive.end()
  }

  async #load(): Promise<void> {
    this.#keepAlive.set(true)
    try {
      this.#findTask = await this.#loading.loaded
    } catch (error) {
      this.#loadError = error
      this.#failAll(() => error)
      throw error
    } finally {
      this.#keepAlive.set(false)
    }
    this.#pump()
  }

  #watch(call: LocalCall, options: RunOptions): void {
    call.watch = watchCancellation(call.name, options, (reason) => {
      this.#settle(call, options.signal?.aborted ? 'cancelled' : 'failed')
      call.reject(reason)
      call.context?.abort(reason)
    })
  }

  #pump(): void {
    // A synchronous task finishes inside #start, which pumps again: a frame for each call of the queue.
    if (this.#isPumping) return
    this.#isPumping = true
    while (this.#findTask && this.#active < this.#options.limit) {
      const call = this.#queue.shift()
      if (!call) break
      if (!call.isSettled) this.#startQueued(call, this.#findTask)
    }
    this.#isPumping = false
  }

  #startQueued(call: LocalCall, findTask: FindTask): void {
    if (call.enter) call.enter(() => this.#start(call, findTask))
    else this.#start(call, findTask)
  }

  #start(call: LocalCall, findTask: FindTask): void {
    call.hasStarted = true
    this.#active++
    this.counts.queued--
    this.counts.running++
    call.watch?.start()
    let value: unknown
    let isOpen: boolean
    try {
      value = this.#invoke(call, findTask)
      isOpen = isPromise(value)
    } catch (thrown) {
      return this.#finish(call, 'failed', thrown)
    }
    if (!isOpen) return this.#finish(call, 'completed', value)
    this.#follow(call, value)
  }

  #follow(call: LocalCall, promise: unknown): void {
    // Through a promise of ours: a thenable may call back twice, or throw after it has.
    Promise.resolve(promise).then(
      (result) => this.#finish(call, 'completed', result),
      (thrown: unknown) => this.#finish(call, 'failed', thrown),
    )
  }

  #invoke(call: LocalCall, findTask: FindTask): unknown {
    const task = findTask(call.name)
    if (!registry.storage) return task(...call.args)
    call.context = new AbortableContext({ name: this.#options.name, id: 0 })
    return registry.storage.run(call.context, () => task(...call.args) as unknown)
  }

  /** The function has ended, whether or not its caller still waits. */
  #finish(call: LocalCall, outcome: 'completed' | 'failed', value: unknown): void {
    this.#active--
    if (!call.isSettled) {
      this.#settle(call, outcome)
      call.hasThrown = outcome === 'failed'
      if (outcome === 'completed') call.resolve(value)
      else call.reject(value)
    }
    this.#pump()
  }

  #settle(call: LocalCall, outcome: 'completed' | 'failed' | 'cancelled'): void {
    call.isSettled = true
    call.watch?.release()
    call.args = NO_ARGS
    this.counts[outcome]++
    this.counts[call.hasStarted ? 'running' : 'queued']--
    this.#unsettled.delete(call)
    if (this.#isIdle()) this.#onIdle?.()
  }

  #failAll(makeReason: (call: LocalCall) => unknown): void {
    for (const call of this.#unsettled) {
      this.#settle(call, 'failed')
      call.reject(makeReason(call))
    }
  }

  #isIdle(): boolean {
    return this.#unsettled.size === 0
  }
}

const NO_ARGS: readonly unknown[] = Object.freeze([])

const blankCall = {
  watch: undefined,
  context: undefined,
  enter: undefined,
  hasStarted: false,
  hasThrown: false,
  isSettled: false,
}

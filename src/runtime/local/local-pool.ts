// The engine behind inline and concurrent: runs tasks in the caller's own thread, at most `limit` at a time.
//
// There is no worker to lose. A cancelled call settles at once, but its function, which cannot be stopped, still does the work that `limit` bounds.

import { NO_OPTIONS } from '../executor/shared-options.js'
import type { Counts } from '../executor/stats.js'
import type { FindTask } from '../task/load-task.js'
import { machineNow } from '../wire/machine-clock.js'
import { enterLater } from '../task/async-scope.js'
import { keepingContexts } from '../task/define-context.js'
import { AbortableContext, registry, type ForkCalls, type WorkerPlace } from '../task/task-context.js'
import { stopping, type Stop } from '../task/stop.js'
import { isPromise } from '../task/task-function.js'
import type { Admitting } from '../core/admission.js'
import { listenerOf, NO_ARGS, type CallListener, type CallOptions } from '../core/call-listener.js'
import { extendStack, rejectLater, traceToCaller } from '../executor/caller-stack.js'
import { callHostHere, type HostFunctions } from '../task/host.js'
import { isForTaskOf, runForTask } from '../core/for-task.js'
import { inSlices } from '../core/in-slices.js'
import type { ForkTo } from '../executor/submit.js'
import { createKeepAlive, PoolLife } from '../core/lifecycle.js'
import { loadInTime, type Loaded, type Loading, type LocalLoad } from './load-in-time.js'
import { blankCall, isWatched, openCall, type LocalCall, ListenedCall } from './local-call.js'
import { Observer, type CallTiming } from '../core/observer.js'
import { OpenCalls, watchOpen } from '../core/open-calls.js'
import { warnOfLocal } from '../core/slow-call.js'
import { PriorityQueue } from '../core/priority-queue.js'
import { soon } from '../../primitives/timers.js'

export interface LocalPoolOptions extends LocalLoad {
  readonly name: string
  /** Calls whose functions may be running at a time. */
  readonly limit: number
  readonly closeTimeout: number
  readonly workerData?: unknown
  readonly host?: HostFunctions | undefined
  readonly observer?: Observer | undefined
  /** What the caller gets of a result; what it throws fails the call. Undefined: the result itself. */
  readonly copyResult?: ((task: string, result: unknown) => unknown) | undefined
  /** Takes what tasks fork; undefined: it must run here. */
  readonly forkTo?: ForkTo | undefined
}

export class LocalPool implements Admitting {
  readonly ready: Promise<void>
  readonly #options: LocalPoolOptions
  readonly #observer: Observer
  #limit: number
  readonly #calls: OpenCalls
  /** Calls whose functions were not called. */
  #queued = 0
  #queue = new PriorityQueue<LocalCall>()
  readonly #unsettled = new Set<LocalCall>()
  readonly #keepAlive = createKeepAlive()
  readonly #loading: Loading
  readonly #place: WorkerPlace
  #tearDown: Loaded['tearDown'] | undefined
  #active = 0
  /** The call whose function was called last. */
  #begun: LocalCall | undefined
  readonly #stopOfBegun = () => this.#begun && (this.#begun.stop = { isStopped: false, ...this.#sideBySide })
  #isPumping = false
  #findTask: FindTask | undefined
  #loadError: unknown
  readonly #life = new PoolLife({
    isIdle: () => this.#calls.open === 0,
    failAll: (makeReason) => this.#failAll(makeReason),
    onEnding: () => {
      this.#keepAlive.set(this.#calls.open > 0)
      this.onRoom?.() // for those who wait to be let in: they are sent away
    },
    end: (how) => this.#end(how),
  })
  onRoom: (() => void) | undefined
  /** What a task forks runs beside it, whatever the limit, as that task may wait for it. */
  readonly #forks: ForkCalls = {
    call: (name, args, parent) => this.#fork(name, args, parent),
    callHost: (name, args, parent) =>
      runForTask(this, () => callHostHere(this.#options.host, { name, args }, parent)) as Promise<unknown>,
  }

  constructor(options: LocalPoolOptions) {
    this.#options = options
    this.#limit = options.limit
    this.#observer = options.observer ?? new Observer({ name: options.name, kind: 'inline' })
    this.#calls = new OpenCalls(this.#observer, () => this.#life.onIdle())
    this.#place = { info: { name: options.name, id: 0, slot: 0 }, workerData: options.workerData }
    this.#loading = loadInTime(options, this.#place)
    this.ready = this.#load()
    this.ready.catch(() => {}) // who never looks at `ready` learns of the failure from the calls
  }

  submit(name: string, args: readonly unknown[], options: CallOptions | undefined): Promise<unknown> {
    if (!this.#life.isOpen) return Promise.reject(this.#life.lateError)
    if (options?.signal?.aborted) return Promise.reject(options.signal.reason)
    if (this.#loadError !== undefined) return this.refuse(name, this.#loadError)
    const listener = options && listenerOf(options)
    if (this.#active >= this.#limit && isForTaskOf(this)) return this.#submitForTask(name, args, options)
    const isPlain = !isWatched(options) && !registry.storage && !listener && !this.#options.copyResult
    if (isPlain && this.#findTask && this.#active < this.#limit)
      return this.#callNow(name, args, this.#findTask)
    const { call, result } = openCall(name, args)
    this.#add(call)
    if (options) this.#watch(call, options, listener)
    // Called here, and not inside the promise's constructor, so that few frames of ours stand in the stack of an error.
    if (this.#findTask && this.#active < this.#limit) {
      this.#start(call, this.#findTask)
      return result
    }
    call.enter = enterLater()
    this.#queue.push(call, options?.priority ?? 0)
    return result.then(undefined, (reason) => {
      if (call.hasThrown) extendStack(reason, name)
      else if (!options?.signal?.aborted) traceToCaller(reason)
      throw reason
    })
  }

  /** Of a function of the program that a task in this pool waits for: it runs beside that, whatever the limit. */
  #submitForTask(name: string, args: readonly unknown[], options: CallOptions | undefined): Promise<unknown> {
    const { call, result } = openCall(name, args)
    this.#add(call)
    if (options) this.#watch(call, options, listenerOf(options))
    soon(() => {
      if (!call.isSettled && this.#life.takesForks) this.#start(call, this.#findTask!)
    })
    return result
  }

  /** Of a call that cannot even begin. */
  refuse(name: string, reason: unknown): Promise<never> {
    this.#observer.endAtOnce(name, 'failed')
    this.#calls.count('failed', false)
    return Promise.reject(reason)
  }

  /** A call that nothing can cancel, and that need not wait: a synchronous one costs little more than its function. */
  #callNow(name: string, args: readonly unknown[], findTask: FindTask): Promise<unknown> {
    let value: unknown
    let isOpen: boolean
    const timing = this.#observer.accept(name)
    if (timing) timing.startedAt = timing.acceptedAt
    stopping.current = undefined
    this.#active++ // the limit holds for calls that the function itself makes, too
    try {
      value = keepingContexts(findTask(name))(...args)
      isOpen = isPromise(value) // looks at a property of the user's object, which may throw
    } catch (thrown) {
      this.#endNow(name, 'failed', timing)
      return Promise.reject(thrown)
    }
    if (!isOpen) {
      this.#endNow(name, 'completed', timing)
      return Promise.resolve(value)
    }
    return new Promise((resolve, reject) => {
      const own = { name, args: NO_ARGS, resolve, reject, timing }
      const call: LocalCall = { ...blankCall, ...own, hasStarted: true }
      this.#unsettled.add(call)
      this.#calls.open++
      this.#follow(call, value)
    })
  }

  #fork(name: string, args: readonly unknown[], parent: AbortableContext): Promise<unknown> {
    if (!this.#life.takesForks) return Promise.reject(this.#life.lateError)
    if (parent.isAborted) return Promise.reject(parent.signal.reason as Error)
    const elsewhere = this.#options.forkTo?.(name, args, { ...NO_OPTIONS, signal: parent.signal })
    if (elsewhere) return elsewhere
    const { call, result } = openCall(name, args)
    this.#add(call)
    const release = parent.onAbort((reason) => this.#giveUp(call, reason, 'cancelled'))
    // Not here: forks within forks would fill the stack.
    soon(() => {
      if (!call.isSettled && this.#life.takesForks) this.#start(call, this.#findTask!)
    })
    return result.finally(release)
  }

  #endNow(name: string, outcome: 'completed' | 'failed', timing: CallTiming | undefined): void {
    if (timing) this.#observer.settle(timing, name, outcome)
    this.#active--
    this.#calls.count(outcome, true)
    if (this.#queued > 0) this.#pump()
    this.onRoom?.()
  }

  #add(call: LocalCall): void {
    call.timing = this.#observer.accept(call.name)
    this.#calls.open++
    this.#queued++
    this.#unsettled.add(call)
  }

  get counts(): Counts {
    return { queued: this.#queued, running: this.#calls.open - this.#queued, ...this.#calls.counts }
  }

  get isOpen(): boolean {
    return this.#life.isOpen
  }

  /** Where calls are limited, each promise counts as one. */
  get #sideBySide(): Pick<Stop, 'sideBySide'> | undefined {
    return this.#limit < Infinity ? { sideBySide: 1 } : undefined
  }

  get busy(): number {
    return this.#active + this.#queued
  }

  get places(): number {
    return this.#limit
  }

  resize(limit: number): void {
    this.#limit = limit
    this.#pump()
    this.onRoom?.()
  }

  discardOldest(makeReason: (call: LocalCall) => unknown): boolean {
    const oldest = this.#queue.findOldest(({ isSettled }) => !isSettled)
    if (oldest) this.#fail(oldest, makeReason)
    return oldest !== undefined
  }

  close(timeout = this.#options.closeTimeout): Promise<void> {
    return this.#life.close(timeout)
  }

  destroy(reason: unknown): Promise<void> {
    return this.#life.destroy(reason)
  }

  /** A module that is still loading must not hold the program any longer. */
  async #end(how: 'close' | 'terminate'): Promise<void> {
    this.#loading.stop(this.#life.lateError)
    const tearDown = this.#tearDown
    this.#tearDown = undefined
    if (how === 'close') await tearDown?.()
    this.#keepAlive.end()
  }

  async #load(): Promise<void> {
    this.#keepAlive.set(true)
    try {
      const { find, tearDown } = await this.#loading.loaded
      this.#findTask = find
      this.#tearDown = tearDown
    } catch (error) {
      this.#loadError = error
      void this.#failAll(() => error)
      throw error
    } finally {
      this.#keepAlive.set(false)
    }
    this.#pump()
  }

  #watch(call: LocalCall, options: CallOptions, listener: CallListener | undefined): void {
    const giveUp = (reason: unknown, outcome: 'cancelled' | 'failed') => this.#giveUp(call, reason, outcome)
    if (listener) {
      const { gracePeriod = 1000 } = options
      call.listened = new ListenedCall({ name: call.name, listener, gracePeriod, giveUp })
    }
    const warn = (ranMs: number) => warnOfLocal(call.name, this.#observer.executor, ranMs)
    if (isWatched(options)) call.watch = watchOpen(call.name, options, { giveUp, warn })
  }

  #giveUp(call: LocalCall, reason: unknown, outcome: 'cancelled' | 'failed'): void {
    if (call.isSettled) return
    this.#settle(call, outcome)
    if (outcome === 'cancelled') call.reject(reason)
    else call.resolve(rejectLater(() => traceToCaller(reason)))
    if (call.stop) call.stop.isStopped = true
    call.context?.abort(reason)
  }

  #pump(): void {
    // A synchronous task finishes inside #start, which pumps again: a frame for each call of the queue.
    if (this.#isPumping) return
    this.#isPumping = true
    while (this.#findTask && this.#active < this.#limit) {
      const call = this.#queue.shift()
      if (!call) break
      if (call.isSettled) continue
      if (call.enter) call.enter(() => this.#start(call, this.#findTask!))
      else this.#start(call, this.#findTask)
    }
    this.#isPumping = false
  }

  #start(call: LocalCall, findTask: FindTask): void {
    call.hasStarted = true
    if (call.timing) call.timing.startedAt = machineNow()
    this.#active++
    this.#queued--
    call.watch?.start()
    let value: unknown
    let isOpen: boolean
    try {
      value = this.#invoke(call, findTask)
      isOpen = isPromise(value)
    } catch (thrown) {
      return this.#finish(call, 'failed', thrown)
    }
    if (!isOpen) return this.#complete(call, value)
    this.#follow(call, value)
  }

  #follow(call: LocalCall, promise: unknown): void {
    // Through a promise of ours: a thenable may call back twice, or throw after it has.
    Promise.resolve(promise).then(
      (result) => this.#complete(call, result),
      (thrown: unknown) => this.#finish(call, 'failed', thrown),
    )
  }

  #complete(call: LocalCall, result: unknown): void {
    const { copyResult } = this.#options
    if (!copyResult || call.isSettled) return this.#finish(call, 'completed', result)
    let copy: unknown
    try {
      copy = copyResult(call.name, result)
    } catch (error) {
      return this.#finish(call, 'failed', error)
    }
    this.#finish(call, 'completed', copy)
  }

  #invoke(call: LocalCall, findTask: FindTask): unknown {
    const task = findTask(call.name)
    this.#begun = call
    stopping.current = this.#stopOfBegun
    if (registry.storage) call.context = new AbortableContext(this.#place, this.#forks)
    if (call.listened) return call.listened.invoke(task, call.args, call.context)
    const keeping = keepingContexts(task)
    if (!registry.storage) return keeping(...call.args)
    return registry.storage.run(call.context!, () => keeping(...call.args) as unknown)
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
    this.onRoom?.()
  }

  #settle(call: LocalCall, outcome: 'completed' | 'failed' | 'cancelled'): void {
    this.#calls.settle(call, outcome, call.hasStarted)
    call.watch?.release()
    call.listened?.end()
    if (!call.hasStarted) this.#queued--
    this.#unsettled.delete(call)
    this.#calls.leave()
  }

  /** They may be very many. None of those that wait starts meanwhile. */
  #failAll(makeReason: (call: LocalCall) => unknown): Promise<void> {
    this.#queue = new PriorityQueue()
    return inSlices([...this.#unsettled], (call) => this.#fail(call, makeReason))
  }

  #fail(call: LocalCall, makeReason: (call: LocalCall) => unknown): void {
    if (call.isSettled) return
    this.#settle(call, 'failed')
    call.reject(makeReason(call))
  }
}

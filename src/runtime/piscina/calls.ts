// The calls of a Piscina that are open, and which of them count as running.
//
//   run() --> waits --> has its places --> settled        places: one for each thread, or concurrentTasksPerWorker of them
//
// A call that waits is with the threads already: they take calls by themselves, in the same order, and need not ask here between two of
// them. Not so where the order is another one (a task queue of the user's), nor where a thread has several places: an abortable call takes all
// those of one, since its thread may be ended; nor where the user's load balancer chooses the thread. Then a call stays here until it has its places.

import { AsyncResource } from 'node:async_hooks'
import type { ChosenThread } from './balanced-threads.js'
import { AbortError, isAborted, onAnyAbort, reasonOf, type AbortSignalAny } from './abort.js'
import { CallTimes, record } from './histogram.js'
import { queueOptionsSymbol } from './movable.js'
import type { FilledOptions } from './options.js'
import { isPlainQueue, type PiscinaTask, type TaskQueue } from './task-queue.js'

/** What a caller asks for. */
export interface CallRequest {
  readonly task: unknown
  readonly filename: string
  readonly name: string
  readonly transferList: readonly unknown[]
  readonly signal: AbortSignalAny | null
}

/** What takes the calls. */
export interface Threads {
  /** How many there are. */
  readonly size: number
  /** One more. */
  grow(): void
  /** Asks the load balancer. Undefined: the call waits. */
  choose(task: PiscinaTask): ChosenThread | undefined
  /** `signal` ends the call and its thread. `lane`: the place of the thread that was chosen. */
  run(request: CallRequest, signal: AbortSignal | undefined, lane?: number): Promise<unknown>
}

interface Call extends PiscinaTask {
  /** Undefined once the threads have it. */
  request: CallRequest | undefined
  readonly task: unknown
  readonly places: number
  /** That the load balancer has chosen. */
  thread: ChosenThread | undefined
  /** 0: it waits. */
  started: number
  isSettled: boolean
  readonly controller: AbortController | undefined
  stopListening: (() => void) | undefined
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

let lastId = 0

export class Calls {
  completed = 0
  needsDrain = false
  /** Places that calls have. */
  taken = 0
  readonly times: CallTimes | undefined
  readonly #options: FilledOptions
  readonly #threads: () => Threads
  readonly #emit: (event: 'drain' | 'needsDrain') => void
  readonly #perThread: number
  readonly #queue: TaskQueue
  /** Calls that wait are with the threads. */
  readonly #isAhead: boolean
  readonly #isBalanced: boolean
  /** The next call: it was taken from the queue, and waits for its places. */
  #next: Call | undefined
  readonly #open = new Set<Call>()
  #onIdle: (() => void) | undefined
  #lastError: unknown

  constructor(options: FilledOptions, threads: () => Threads, emit: (event: 'drain' | 'needsDrain') => void) {
    this.#options = options
    this.#threads = threads
    this.#emit = emit
    this.#perThread = Math.floor(options.concurrentTasksPerWorker)
    this.#queue = options.taskQueue
    this.#isBalanced = options.loadBalancer !== undefined
    this.#isAhead = this.#perThread === 1 && isPlainQueue(this.#queue) && !this.#isBalanced
    if (options.recordTiming) this.times = new CallTimes()
  }

  get waiting(): number {
    return this.#queue.size + (this.#next ? 1 : 0)
  }

  run(request: CallRequest): Promise<unknown> {
    const { signal } = request
    if (signal && isAborted(signal)) return Promise.reject(new AbortError(reasonOf(signal)))
    const places = signal && !this.#isBalanced ? this.#perThread : 1
    const { maxQueue } = this.#options
    return new Promise((resolve, reject) => {
      const call = createCall(request, places, inOwnScope({ resolve, reject }))
      const hasRoom = this.waiting === 0 && this.#hasThread(call)
      if (!hasRoom && this.waiting >= maxQueue) return call.reject(fullError(maxQueue))
      if (signal) call.stopListening = onAnyAbort(signal, () => this.#abort(call, reasonOf(signal)))
      this.#open.add(call)
      if (hasRoom) this.#start(call)
      else this.#wait(call)
      queueMicrotask(this.#look)
    })
  }

  /** A thread has come up: a load balancer may give it a call. */
  onThread(): void {
    if (this.#isBalanced) this.#startWaiting()
  }

  /** Gives up those that wait, or all. */
  failAll(which: 'waiting' | 'all', makeError: () => Error): void {
    for (const call of [...this.#open])
      if (which === 'all' || call.started === 0) this.#end(call, () => call.reject(makeError()))
  }

  /** Resolves when nothing is open. */
  idle(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve()
    return new Promise((resolve) => (this.#onIdle = resolve))
  }

  /** The last call that has failed did so with this error. */
  hasFailedWith(error: unknown): boolean {
    return this.#lastError === error
  }

  #wait(call: Call): void {
    this.#queue.push(call)
    if (this.#isAhead) this.#send(call)
    if (!this.#isBalanced) this.#startWaiting() // a load balancer has just said no
  }

  #startWaiting(): void {
    for (let next = this.#takeNext(); next && this.#mayStart(next); next = this.#takeNext()) {
      this.#next = undefined
      if (!next.isSettled) this.#start(next)
    }
  }

  /** Also of one that a load balancer that throws has ended. */
  #mayStart(call: Call): boolean {
    try {
      return this.#hasThread(call)
    } catch (error) {
      this.#end(call, () => call.reject(error))
      return true
    }
  }

  /** Once there is a place, not before: until then the queue may find another one more urgent. */
  #takeNext(): Call | undefined {
    if (!this.#next && this.#queue.size > 0 && (this.#isBalanced || this.#makeRoom(1)))
      this.#next = (this.#queue.shift() ?? undefined) as Call | undefined
    return this.#next
  }

  #hasThread(call: Call): boolean {
    if (!this.#isBalanced) return this.#makeRoom(call.places)
    const threads = this.#threads()
    call.thread = threads.choose(call)
    if (!call.thread && threads.size < Math.ceil(this.#options.maxThreads)) {
      threads.grow()
      call.thread = threads.choose(call)
    }
    return call.thread !== undefined
  }

  /** Whether there are so many places; a thread starts where that helps. */
  #makeRoom(places: number): boolean {
    const threads = this.#threads()
    let free = threads.size * this.#perThread - this.taken
    if (free < places && threads.size < Math.ceil(this.#options.maxThreads)) {
      threads.grow()
      free += this.#perThread
    }
    return free >= places
  }

  #start(call: Call): void {
    call.started = performance.now()
    this.taken += call.places
    call.thread?.begin(call)
    if (this.times) record(this.times.wait, call.started - call.created)
    this.#send(call)
  }

  #send(call: Call): void {
    const { request } = call
    if (!request) return
    call.request = undefined
    this.#threads()
      .run(request, call.controller?.signal, call.thread?.lane)
      .then(
        (result) => this.#settle(call, () => call.resolve(result)),
        (error: unknown) => {
          this.#lastError = error
          this.#settle(call, () => call.reject(error))
        },
      )
  }

  #abort(call: Call, reason: unknown): void {
    this.#settle(call, () => call.reject(new AbortError(reason)))
    call.controller!.abort()
  }

  #settle(call: Call, settle: () => void): void {
    if (call.isSettled) return
    this.#end(call, settle)
    this.#startWaiting()
  }

  #end(call: Call, settle: () => void): void {
    call.isSettled = true
    call.stopListening?.()
    this.#open.delete(call)
    this.completed++
    if (call.started > 0) this.#leave(call)
    else if (call === this.#next) this.#next = undefined
    else this.#queue.remove(call)
    settle()
    queueMicrotask(this.#look)
    if (this.#open.size === 0) this.#onIdle?.()
  }

  #leave(call: Call): void {
    const ranMs = performance.now() - call.started
    this.taken -= call.places
    call.thread?.end(call, ranMs)
    if (this.times) record(this.times.run, ranMs)
  }

  readonly #look = (): void => {
    const isFull = this.taken >= this.#options.maxThreads * this.#perThread
    if (!isFull && !this.needsDrain) return
    this.needsDrain = isFull
    queueMicrotask(() => this.#emit(isFull ? 'needsDrain' : 'drain'))
  }
}

/** Of each call piscina makes a resource, which tracers of asynchronous code look for. */
function inOwnScope({ resolve, reject }: Pick<Call, 'resolve' | 'reject'>): Pick<Call, 'resolve' | 'reject'> {
  const resource = new AsyncResource('Piscina.Task', { requireManualDestroy: true })
  const enter = (settle: (value: unknown) => void) => (value: unknown) => {
    resource.runInAsyncScope(settle, undefined, value)
    resource.emitDestroy()
  }
  return { resolve: enter(resolve), reject: enter(reject) }
}

function createCall(
  request: CallRequest,
  places: number,
  { resolve, reject }: Pick<Call, 'resolve' | 'reject'>,
): Call {
  const { filename, name, task, signal } = request
  return {
    taskId: lastId++,
    filename,
    name,
    created: performance.now(),
    isAbortable: signal !== null,
    [queueOptionsSymbol]: (task as PiscinaTask | null | undefined)?.[queueOptionsSymbol] ?? null,
    request,
    task,
    places,
    resolve,
    reject,
    thread: undefined,
    started: 0,
    isSettled: false,
    controller: signal ? new AbortController() : undefined,
    stopListening: undefined,
  }
}

function fullError(maxQueue: number): Error {
  return new Error(
    maxQueue === 0 ? 'No task queue available and all Workers are busy' : 'Task queue is at limit',
  )
}

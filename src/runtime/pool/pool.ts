// The engine behind threads and processes: accepts calls, hands them to workers, settles every one of them.
//
//   run() --> queue --> slot --> worker          at most LOOK_AHEAD_US of work ahead of each worker (task-cost.ts);
//     ^                            |             the rest stays here, where whichever worker falls idle takes it
//     '------ settle <--- replies -'
//
// What becomes of a call, by where it is when something goes wrong:
//   worker dies      queued: stays   sent, not started: back to the front of the queue
//                    started, or its buffers were transferred: TW_ERR_WORKER_EXITED
//   start fails      queued: TW_ERR_START_FAILED or _TIMEOUT, if no other worker is left to take it
//   caller aborts    settled at once; the worker is told; a late reply is dropped
//   close(timeout)   finishes, or TW_ERR_CLOSED           destroy()   TW_ERR_DESTROYED

import type { RunOptions, WorkerStats } from '../executor/executor.js'
import { REPLY_RESULT, REPLY_UNREADABLE, REPLY_UNSENDABLE, type Unsendable } from '../wire/messages.js'
import { PoolCalls } from './calls/pool-calls.js'
import { Dispatch } from './dispatch/dispatch.js'
import type { ForkTo, CallPool } from '../engine/call-pool.js'
import { describeWorker, inspectWorkers } from './workers/describe-worker.js'
import { createKeepAlive } from '../engine/keep-alive.js'
import { ElasticSize } from './workers/elastic-size.js'
import type { SizeRange } from '../executor/options.js'
import { LostCalls } from './dispatch/lost-calls.js'
import { Observer } from '../engine/observer.js'
import { PoolLife } from '../engine/lifecycle.js'
import { createCall, EACH_OPTIONS, callOptions, forkOptions, laneOptions, type Call } from './calls/call.js'
import type { SharedDelivery } from './calls/delivery.js'
import type { StartWorker } from './workers/worker.js'
import { NO_RETRIES, Retries, type RetryPolicy } from './dispatch/retries.js'
import { shareOfWorker } from './dispatch/shares.js'
import { WaitingCalls } from './dispatch/waiting-calls.js'
import { watchCall, type WatchedPool } from './calls/watch-call.js'
import { WorkerSet, type WorkerSetEvents, type WorkerSetOptions } from './workers/worker-set.js'
import { planOnce } from '../executor/plan-once.js'
import { soon } from '../../primitives/timers.js'

export interface PoolOptions extends WorkerSetOptions {
  readonly closeTimeout: number
  /** Milliseconds after which a worker that is not needed leaves. */
  readonly idleTimeout: number
  /** What becomes of a call whose worker dies while it runs. Default: it fails. */
  readonly onWorkerExit?: RetryPolicy | undefined
  /** Calls that may run at a time, whatever each worker may hold; undefined: so many. */
  readonly concurrency?: number | undefined
  /** Calls that one worker may hold, whatever its share in them is. */
  readonly mostPerWorker?: number | undefined
  /** Asked before a call leaves the pool; see LaneEvents of directed-pool.ts. */
  readonly mayRun?: (() => boolean) | undefined
  readonly onFreed?: (() => void) | undefined
  /** No more than may run at a time leave the pool; otherwise some lie ready for the workers, which then see to it. */
  readonly isStrict?: boolean | undefined
  /** Calls wait in the pool, where they can be passed and discarded, and not where workers take them by themselves. */
  readonly holdsCalls?: boolean | undefined
  /** Shared by the pools of one executor. */
  readonly observer?: Observer | undefined
  /** Told when the first call comes after all others have settled. */
  readonly onBusy?: (() => void) | undefined
  /** Takes what tasks fork, instead of this pool, where it is one of several; undefined: this pool must. */
  readonly forkTo?: ForkTo | undefined
}

export class Pool implements CallPool {
  readonly #calls: PoolCalls
  readonly #options: PoolOptions
  readonly #observer: Observer
  readonly #waiting: WaitingCalls
  readonly #keepAlive = createKeepAlive()
  /** The same; what a worker may hold follows the size. */
  readonly #held: PoolOptions & { tasksPerWorker: number }
  readonly #workers: WorkerSet
  readonly #elastic: ElasticSize
  readonly #dispatch: Dispatch
  readonly #retries: Retries
  readonly #lost: LostCalls
  readonly #shared: SharedDelivery | undefined
  readonly #watched: WatchedPool
  readonly #life = new PoolLife({
    isIdle: () => this.open === 0,
    failAll: (makeReason) => this.#failAll(makeReason),
    onEnding: () => {
      this.#updateKeepAlive()
      this.onRoom?.() // for those who wait to be let in: they are sent away
    },
    end: (how) => this.#end(how),
  })
  /** Callers of recycleNow() that wait. */
  #recyclers = 0
  onRoom: (() => void) | undefined
  readonly #pumpLater = planOnce(soon, () => this.#pump())

  constructor(startWorker: StartWorker, options: PoolOptions, shared?: SharedDelivery) {
    this.#options = options
    this.#observer = options.observer ?? new Observer({ name: 'threadwise', kind: 'threads' })
    this.#calls = new PoolCalls(this.#observer, {
      onUnqueued: (call) => this.#waiting.forget(call),
      onIdle: () => {
        this.#updateKeepAlive()
        this.#life.onIdle()
      },
      onFreed: () => options.onFreed?.(),
      wasTried: (call) => this.#retries.isQuarantined(call),
    })
    this.#retries = new Retries(options.onWorkerExit ?? NO_RETRIES, (call) => {
      this.#enqueue(call)
      this.#elastic.onCall()
    })
    this.#waiting = new WaitingCalls(options.size.max, this.#retries)
    this.#shared = shared
    if (shared) shared.onRoom = this.#onReplies
    this.#held = { ...options }
    this.#workers = new WorkerSet(startWorker, this.#held, this.#workerEvents(options))
    const calls = { calls: this.#calls, waiting: this.#waiting, retries: this.#retries }
    const parts = { ...calls, ...{ workers: this.#workers, shared, pumpLater: this.#pumpLater } }
    const dispatch = new Dispatch(parts, options)
    this.#dispatch = dispatch
    this.#lost = new LostCalls({ ...parts, dispatch })
    this.#watched = { ...parts, withdraw: (call) => dispatch.withdraw(call) }
    this.#elastic = new ElasticSize(options.size, options.idleTimeout, this.#workers, this)
    this.#updateKeepAlive()
  }

  #workerEvents({ forkTo }: PoolOptions): WorkerSetEvents {
    return {
      onReply: this.#onReply,
      onWaiting: (call) => this.#calls.suspend(call),
      onReplies: this.#onReplies,
      onDone: (call, inputs) => this.#calls.completeInputs(call, inputs),
      submitFork: (...call) => forkTo?.(...call) ?? this.submitFork(...call),
      onUnsendable: (call, error) => {
        this.#calls.failUnsendable(call, error)
        this.#pumpLater() // its place is free again
      },
      onLost: (exit, held) => this.#lost.recover(exit, held),
      onNoWorker: (makeReason, lane) => void this.#failQueued(makeReason, lane),
      onChange: () => this.#onWorkersChange(),
    }
  }

  get ready(): Promise<void> {
    return this.#workers.ready
  }

  get open(): number {
    return this.#calls.open
  }

  get size(): number {
    return this.#workers.workerCount
  }

  get isOpen(): boolean {
    return this.#life.isOpen
  }

  get busy(): number {
    return this.#calls.open
  }

  get places(): number {
    return this.#dispatch.concurrency ?? this.#workers.capacity
  }

  get taken(): number {
    return this.#calls.open - this.#waiting.size
  }

  discardOldest(makeReason: (call: Call) => unknown): boolean {
    this.#dispatch.recall()
    const oldest = this.#waiting.findOldest()
    if (oldest) this.#calls.fail(oldest, makeReason)
    this.#pumpLater()
    return oldest !== undefined
  }

  submit(name: string, args: readonly unknown[], options: RunOptions | undefined): Promise<unknown> {
    return this.#accept(createCall(name, args, callOptions(options)), options)
  }

  submitEach(name: string, inputs: readonly unknown[]): Promise<unknown> {
    return this.#accept(createCall(name, inputs, EACH_OPTIONS))
  }

  /** A call that a task of this pool makes. */
  submitFork(name: string, args: readonly unknown[], options: RunOptions | undefined): Promise<unknown> {
    return this.#accept(createCall(name, args, forkOptions(options)), options)
  }

  /** One call for each worker that is there. */
  broadcast(name: string, args: readonly unknown[], options: RunOptions | undefined): Promise<unknown[]> {
    if (!this.#life.isOpen) return Promise.reject(this.#life.lateError) // there may be no worker whose call would be refused
    if (options?.signal?.aborted) return Promise.reject(options.signal.reason)
    const calls = this.#workers.lanes.map((lane) =>
      this.#accept(createCall(name, args, laneOptions(options, lane)), options),
    )
    return Promise.all(calls)
  }

  look(): void {
    if (this.#waiting.size > 0) this.#pumpLater()
  }

  /** `concurrency`: of a lane, whose share has changed. */
  resize(size: SizeRange, concurrency = this.#dispatch.concurrency): void {
    if (concurrency !== undefined) this.#shareOut(concurrency, size.max)
    this.#dispatch.recall() // those with a key: from now on their worker may be another one
    this.#elastic.resize(size)
    this.#dispatch.lanes = size.max
    this.#waiting.setLanes(size.max)
    this.#workers.resize(size)
    this.#pump()
  }

  async recycleNow(): Promise<void> {
    if (!this.#life.isOpen) throw this.#life.lateError
    this.#recyclers++
    this.#updateKeepAlive()
    try {
      await this.#workers.recycleAll()
    } finally {
      this.#recyclers--
      this.#updateKeepAlive()
    }
  }

  #shareOut(concurrency: number, workers: number): void {
    const tasks = shareOfWorker(concurrency, workers, this.#options.mostPerWorker)
    this.#dispatch.concurrency = concurrency
    this.#held.tasksPerWorker = tasks
    this.#shared?.allow(tasks)
  }

  #accept(call: Call, options?: RunOptions): Promise<unknown> {
    if (!this.#life.isOpen && !(call.options.isFork && this.#life.takesForks))
      return Promise.reject(this.#life.lateError)
    if (options?.signal?.aborted) return Promise.reject(options.signal.reason)
    const result = new Promise<unknown>((resolve) => (call.resolve = resolve))
    call.timing = this.#observer.accept(call.name)
    if (call.options.announceStart) watchCall(call, options!, this.#watched)
    if (call.options.priority !== 0) this.#dispatch.hold()
    const isFirst = this.#dispatch.isFirst(call)
    if (this.#calls.open++ === 0) this.#onBusy()
    if ((!isFirst || !this.#dispatch.place(call)) && !call.isSettled) this.#enqueue(call)
    if (this.#elastic.isElastic) this.#elastic.onCall()
    return result
  }

  /** Calls that no worker has. */
  get waiting(): number {
    return this.#waiting.size + this.#dispatch.waiting
  }

  get counts() {
    const queued = this.waiting
    return { queued, running: this.open - queued, ...this.#calls.counts }
  }

  get workers(): readonly WorkerStats[] {
    return this.#workers.slots.map(describeWorker)
  }

  inspect(): Promise<readonly WorkerStats[]> {
    return inspectWorkers(this.#workers.slots)
  }

  close(timeout = this.#options.closeTimeout): Promise<void> {
    return this.#life.close(timeout)
  }

  destroy(reason: unknown): Promise<void> {
    return this.#life.destroy(reason)
  }

  /** Holds the process until the last worker is gone. */
  async #end(how: 'close' | 'terminate'): Promise<void> {
    this.#elastic.end()
    const ended = this.#workers.end(how, this.#life.lateError)
    this.#updateKeepAlive()
    await ended
    this.#keepAlive.end()
  }

  /** Hands queued calls to workers with room, in order, and sends them. */
  #pump(): void {
    this.#dispatch.offerAll()
    this.#dispatch.flush()
    if (this.#waiting.size > 0 || (!this.#workers.isUp && this.waiting > 0)) this.#workers.startMissing()
    this.#updateKeepAlive()
    this.onRoom?.()
  }

  /** There may be room for calls that wait. Most times none does, and calls that were given leave by themselves. */
  readonly #onReplies = (): void => {
    if (this.#waiting.size > 0 || this.#dispatch.hasUnsent) this.#pump()
    else this.onRoom?.()
  }

  async #failAll(makeReason: (call: { readonly name: string }) => unknown): Promise<void> {
    const failing = this.#lost.failAll(makeReason)
    await Promise.resolve() // a getter among the arguments of a call may have ended the pool: now that call has its place
    await this.#lost.failAll(makeReason)
    await failing
  }

  async #failQueued(makeReason: () => unknown, lane: number | undefined): Promise<void> {
    await this.#lost.failQueued(makeReason, lane)
    this.#pumpLater() // they had a share in what may run
  }

  #onBusy(): void {
    this.#keepAlive.set(true)
    this.#options.onBusy?.()
  }

  #enqueue(call: Call): void {
    this.#waiting.push(call)
    this.#pumpLater()
  }

  #onWorkersChange(): void {
    this.#elastic.onWorkers()
    this.#pump()
  }

  readonly #onReply = (call: Call, kind: number, value: unknown): void => {
    if (kind === REPLY_RESULT) this.#calls.complete(call, value)
    else if (kind === REPLY_UNSENDABLE) this.#calls.failUnsendableResult(call, value as Unsendable)
    else if (kind === REPLY_UNREADABLE) this.#calls.failStarted(call, () => value)
    else this.#calls.failThrown(call, value)
  }

  #updateKeepAlive(): void {
    const isEnding = !this.#life.isOpen && this.#workers.slots.length > 0
    const isAwaited = isEnding || this.#recyclers > 0
    this.#keepAlive.set(isAwaited || this.open > 0 || this.#workers.isStarting)
  }
}

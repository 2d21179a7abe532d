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
import { planOnce, soon } from '../executor/turns.js'
import { REPLY_ENCODED, REPLY_RESULT, REPLY_UNSENDABLE } from '../wire/messages.js'
import { CallLedger } from './calls/open-calls.js'
import { Dispatch, HandOut } from './dispatch/dispatch.js'
import type { ForkTo, CallPool } from '../engine/call-pool.js'
import { describeWorker, inspectWorkers } from './workers/describe-worker.js'
import { createKeepAlive } from '../engine/keep-alive.js'
import { ElasticSize } from './workers/elastic-size.js'
import type { SizeRange } from '../executor/options.js'
import { LostCalls } from './dispatch/lost-calls.js'
import { Observer } from '../engine/observer.js'
import { PoolLife } from '../engine/lifecycle.js'
import type { PoolParts } from './dispatch/pool-parts.js'
import {
  createPoolTask,
  EACH_TERMS,
  termsFor,
  termsForFork,
  termsForLane,
  type PoolTask,
} from './calls/call.js'
import type { SharedCalls } from './calls/shared-calls.js'
import type { StartWorker } from './workers/worker.js'
import { NO_RETRIES, Retries, type RetryPolicy } from './dispatch/retries.js'
import { WaitingCalls } from './dispatch/waiting-calls.js'
import { watchCall } from './calls/watch-call.js'
import { Workforce, type WorkforceOptions } from './workers/worker-set.js'

export interface PoolOptions extends WorkforceOptions {
  readonly closeTimeout: number
  /** Milliseconds after which a worker that is not needed leaves. */
  readonly idleTimeout: number
  /** What becomes of a call whose worker dies while it runs. Default: it fails. */
  readonly onWorkerExit?: RetryPolicy | undefined
  /** Calls wait in the pool, where they can be passed and discarded, and not where workers take them by themselves. */
  readonly holdsBack?: boolean | undefined
  /** Shared by the pools of one executor. */
  readonly observer?: Observer | undefined
  /** Told when the first call comes after all others have settled. */
  readonly onBusy?: (() => void) | undefined
  /** Takes what tasks fork, instead of this pool, where it is one of several; undefined: this pool must. */
  readonly forkTo?: ForkTo | undefined
}

export class Pool implements CallPool {
  readonly #calls = new CallLedger({
    onUnqueued: (task) => this.#waiting.forget(task),
    onIdle: () => {
      this.#updateKeepAlive()
      this.#life.onIdle()
    },
    onTimed: (task, outcome) => this.#observer.settle(task.timing!, task.name, outcome),
  })
  readonly #options: PoolOptions
  readonly #observer: Observer
  readonly #waiting: WaitingCalls
  readonly #keepAlive = createKeepAlive()
  readonly #workers: Workforce
  readonly #elastic: ElasticSize
  readonly #dispatch: Dispatch
  readonly #handOut: HandOut
  readonly #retries: Retries
  readonly #lost: LostCalls
  readonly #parts: PoolParts
  readonly #shared: SharedCalls | undefined
  readonly #life = new PoolLife({
    isIdle: () => this.open === 0,
    failAll: (makeReason) => this.#lost.failAll(makeReason),
    onEnding: () => {
      this.#updateKeepAlive()
      this.onRoom?.() // for those who wait to be let in: they are sent away
    },
    end: (how) => this.#end(how),
  })
  onRoom: (() => void) | undefined
  readonly #pumpLater = planOnce(soon, () => this.#pump())

  constructor(startWorker: StartWorker, options: PoolOptions, shared?: SharedCalls) {
    this.#options = options
    this.#observer = options.observer ?? new Observer({ name: 'threadwise', kind: 'threads' })
    this.#retries = new Retries(options.onWorkerExit ?? NO_RETRIES, (task) => {
      this.#enqueue(task)
      this.#elastic.onCall()
    })
    this.#waiting = new WaitingCalls(options.size.max, this.#retries)
    this.#shared = shared
    if (shared) shared.onRoom = this.#onReplies
    this.#workers = new Workforce(startWorker, options, {
      onReply: this.#onReply,
      onWaiting: (task) => this.#calls.suspend(task),
      onReplies: this.#onReplies,
      submitFork: (...call) => options.forkTo?.(...call) ?? this.submitFork(...call),
      onUnsendable: (task, error) => {
        this.#calls.failUnsendable(task, 'An argument', error)
        this.#pumpLater() // its place is free again
      },
      onLost: (exit, held) => this.#lost.recover(exit, held),
      onNoWorker: (makeReason, lane) => this.#lost.failQueued(makeReason, lane),
      onChange: () => this.#onWorkersChange(),
    })
    this.#parts = {
      calls: this.#calls,
      waiting: this.#waiting,
      retries: this.#retries,
      workers: this.#workers,
      shared,
      observer: this.#observer,
      pumpLater: this.#pumpLater,
    }
    this.#lost = new LostCalls(this.#parts)
    this.#dispatch = new Dispatch(this.#parts, options.size.max)
    const { holdsBack = false } = options
    this.#handOut = new HandOut(this.#parts, this.#dispatch, this.#lost, holdsBack)
    this.#elastic = new ElasticSize(options.size, options.idleTimeout, this.#workers, this)
    this.#dispatch.updateSharing(holdsBack) // so the first call need not pass through the pool's own queue
    this.#updateKeepAlive()
  }

  get ready(): Promise<void> {
    return this.#workers.ready
  }

  get open(): number {
    return this.#calls.open
  }

  get size(): number {
    return this.#workers.members
  }

  get isOpen(): boolean {
    return this.#life.isOpen
  }

  get busy(): number {
    return this.#calls.open - this.#calls.suspended
  }

  get places(): number {
    return this.#workers.places
  }

  discardOldest(makeReason: (task: PoolTask) => unknown): boolean {
    this.#lost.takeBack()
    const oldest = this.#waiting.findOldest()
    if (oldest) this.#calls.fail(oldest, makeReason)
    this.#pumpLater()
    return oldest !== undefined
  }

  submit(name: string, args: readonly unknown[], options: RunOptions | undefined): Promise<unknown> {
    return this.#accept(createPoolTask(name, args, termsFor(options)), options)
  }

  submitEach(name: string, inputs: readonly unknown[]): Promise<unknown> {
    return this.#accept(createPoolTask(name, inputs, EACH_TERMS))
  }

  /** A call that a task of this pool makes. */
  submitFork(name: string, args: readonly unknown[], options: RunOptions | undefined): Promise<unknown> {
    return this.#accept(createPoolTask(name, args, termsForFork(options)), options)
  }

  /** One call for each worker that is there. */
  broadcast(name: string, args: readonly unknown[], options: RunOptions | undefined): Promise<unknown[]> {
    if (!this.#life.isOpen) return Promise.reject(this.#life.lateError) // there may be no worker whose call would be refused
    if (options?.signal?.aborted) return Promise.reject(options.signal.reason)
    const calls = this.#workers.lanes.map((lane) =>
      this.#accept(createPoolTask(name, args, termsForLane(options, lane)), options),
    )
    return Promise.all(calls)
  }

  resize(size: SizeRange): void {
    this.#lost.takeBack() // those with a key: from now on their worker may be another one
    this.#elastic.resize(size)
    this.#dispatch.lanes = size.max
    this.#waiting.setLanes(size.max)
    this.#workers.resize(size)
    this.#pump()
  }

  #accept(task: PoolTask, options?: RunOptions): Promise<unknown> {
    if (!this.#life.isOpen && !(task.terms.isFork && this.#life.takesForks))
      return Promise.reject(this.#life.lateError)
    if (options?.signal?.aborted) return Promise.reject(options.signal.reason)
    const result = new Promise<unknown>((resolve) => (task.resolve = resolve))
    task.timing = this.#observer.accept(task.name)
    if (task.terms.announceStart) watchCall(task, options!, this.#parts)
    if (task.terms.priority !== 0) this.#handOut.holdBack()
    const isFirst = this.#handOut.isFirst(task)
    if (this.#calls.open++ === 0) this.#onBusy()
    if ((!isFirst || !this.#dispatch.place(task)) && !task.isSettled) this.#enqueue(task)
    if (this.#elastic.isElastic) this.#elastic.onCall()
    this.#failIfDestroyed()
    return result
  }

  /** Calls that no worker has. */
  get waiting(): number {
    return this.#waiting.size + (this.#shared?.waiting ?? 0)
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
    this.#handOut.offerAll()
    this.#failIfDestroyed()
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

  /** A getter among the arguments may have destroyed the pool. */
  #failIfDestroyed(): void {
    if (this.#life.state === 'destroyed') this.#lost.failAll(() => this.#life.lateError)
  }

  #onBusy(): void {
    this.#keepAlive.set(true)
    this.#options.onBusy?.()
  }

  #enqueue(task: PoolTask): void {
    this.#waiting.push(task)
    this.#pumpLater()
  }

  #onWorkersChange(): void {
    this.#elastic.onWorkers()
    this.#pump()
  }

  readonly #onReply = (task: PoolTask, kind: number, value: unknown): void => {
    if (kind === REPLY_RESULT) this.#calls.complete(task, value)
    else if (kind === REPLY_ENCODED) this.#calls.completeEncoded(task, value)
    else if (kind === REPLY_UNSENDABLE) this.#calls.failUnsendable(task, 'The result', value)
    else this.#calls.failThrown(task, value)
  }

  #updateKeepAlive(): void {
    const isEnding = !this.#life.isOpen && this.#workers.slots.length > 0
    this.#keepAlive.set(isEnding || this.open > 0 || this.#workers.isStarting)
  }
}

// The engine behind threads and processes: accepts calls, hands them to workers, settles every one of them.
//
//   run() --> queue --> slot --> worker          at most LOOK_AHEAD_US of work ahead of each worker (task-cost.ts);
//     ^                            |             the rest stays here, where whichever worker falls idle takes it
//     '------ settle <--- replies -'
//
// What becomes of a call, by where it is when something goes wrong:
//   worker dies      queued: stays   sent, not started: back to the front of the queue, once
//                    started, or its buffers were transferred: TW_ERR_WORKER_EXITED
//   start fails      queued: TW_ERR_START_FAILED or _TIMEOUT, if no other worker is left to take it
//   caller aborts    settled at once; the worker is told; a late reply is dropped
//   close(timeout)   finishes, or TW_ERR_CLOSED           destroy()   TW_ERR_DESTROYED

import { watchCancellation } from '../executor/cancellation.js'
import type { RunOptions, WorkerStats } from '../executor/executor.js'
import { planOnce } from '../executor/plan-once.js'
import { REPLY_ENCODED, REPLY_RESULT, REPLY_UNSENDABLE } from '../protocol/messages.js'
import { controlCall } from './call-control.js'
import { CallLedger } from './call-ledger.js'
import { Dispatch } from './dispatch.js'
import type { SubmitFork } from './fork-calls.js'
import type { CallPool, Outcome } from './call-pool.js'
import { describeWorker, inspectWorker } from './describe-worker.js'
import { createKeepAlive } from './keep-alive.js'
import { ElasticSize, type SizeRange } from './elastic-size.js'
import { Observer } from './observer.js'
import { divideHeld, exitError } from './lost-calls.js'
import { PoolLife } from './pool-life.js'
import {
  createPoolTask,
  EACH_TERMS,
  isShared,
  termsFor,
  termsForFork,
  termsForLane,
  type PoolTask,
} from './pool-task.js'
import type { HeldTask, SharedCalls, StartWorker, WorkerExit } from './pool-worker.js'
import { Retries, type RetryPolicy } from './retries.js'
import { warnOfTask, warnWhenSlow } from './slow-call.js'
import { WaitingCalls } from './waiting-calls.js'
import { Workforce, type WorkforceOptions } from './workforce.js'

/** Calls that a pool that holds back gives out beyond what its workers can run: enough that short ones follow each other. */
const AHEAD = 16

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
  readonly forkTo?: ((...call: Parameters<SubmitFork>) => Promise<unknown> | undefined) | undefined
}

const NO_RETRIES: RetryPolicy = { retries: 0, backoff: 0 }

export class Pool implements CallPool {
  readonly #calls = new CallLedger({
    onUnqueued: (task) => this.#waiting.forget(task),
    onIdle: () => {
      this.#updateKeepAlive()
      this.#life.onIdle()
    },
    onTimed: (task, outcome) => this.#observer.settle(task.terms.timing!, task.name, outcome),
  })
  readonly #closeTimeout: number
  readonly #observer: Observer
  readonly #tellBusy: (() => void) | undefined
  readonly #waiting: WaitingCalls
  readonly #keepAlive = createKeepAlive()
  readonly #workers: Workforce
  readonly #elastic: ElasticSize
  readonly #dispatch: Dispatch
  readonly #retries: Retries
  readonly #shared: SharedCalls | undefined
  readonly #life = new PoolLife({
    isIdle: () => this.open === 0,
    failAll: (makeReason) => this.#failAll(makeReason),
    onEnding: () => {
      this.#updateKeepAlive()
      this.onRoom?.() // for those who wait to be let in: they are sent away
    },
    end: (how) => this.#end(how),
  })
  #holdsBack: boolean
  onRoom: (() => void) | undefined
  readonly #pumpLater = planOnce(queueMicrotask, () => this.#pump())
  constructor(startWorker: StartWorker, options: PoolOptions, shared?: SharedCalls) {
    this.#closeTimeout = options.closeTimeout
    this.#observer = options.observer ?? new Observer({ name: 'threadwise', kind: 'threads' })
    this.#tellBusy = options.onBusy
    this.#retries = new Retries(options.onWorkerExit ?? NO_RETRIES, (task) => this.#tryAgain(task))
    const isSuspect = options.onWorkerExit
      ? (task: PoolTask) => this.#retries.deathsOf(task) > 0
      : () => false
    this.#waiting = new WaitingCalls(options.size.max, isSuspect)
    this.#holdsBack = options.holdsBack ?? false
    this.#shared = shared
    if (shared) shared.onRoom = () => (this.#waiting.size > 0 ? this.#pump() : this.onRoom?.())
    this.#workers = new Workforce(startWorker, options, {
      onReply: this.#onReply,
      onWaiting: (task) => this.#calls.suspend(task),
      onReplies: () => this.#pump(),
      submitFork: (...call) => options.forkTo?.(...call) ?? this.submitFork(...call),
      onUnsendable: (task, error) => {
        this.#calls.failUnsendable(task, 'An argument', error)
        this.#pumpLater() // its place is free again
      },
      onLost: (exit, held) => this.#recover(exit, held),
      onNoWorker: (makeReason, lane) => this.#failQueued(makeReason, lane),
      onChange: () => this.#onWorkersChange(),
    })
    this.#dispatch = new Dispatch({
      workers: this.#workers,
      shared,
      lanes: options.size.max,
      pumpLater: this.#pumpLater,
      isSuspect,
    })
    this.#elastic = new ElasticSize(options.size, options.idleTimeout, this.#workers, this)
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
    this.#takeBack()
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
    const calls = this.#workers.lanes.map((lane) =>
      this.#accept(createPoolTask(name, args, termsForLane(options, lane)), options),
    )
    return Promise.all(calls)
  }

  resize(size: SizeRange): void {
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
    const timing = this.#observer.accept(task.name)
    if (timing) task.terms = { ...task.terms, timing }
    if (task.terms.announceStart) this.#watch(task, options!)
    if (task.terms.priority !== 0) {
      this.#holdsBack = true
      this.#takeBack()
    }
    const isFirst = (this.#waiting.size === 0 && this.#hasPlace) || task.terms.isFork
    if (this.#calls.open++ === 0) this.#onBusy()
    if ((!isFirst || !this.#dispatch.place(task)) && !task.isSettled) this.#enqueue(task)
    if (this.#elastic.isElastic) this.#elastic.onCall()
    if (this.#life.state === 'destroyed') this.#failAll(() => this.#life.lateError) // by a getter among the arguments
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

  async inspect(): Promise<readonly WorkerStats[]> {
    const all = await Promise.all(this.#workers.slots.map(inspectWorker))
    return all.filter((worker) => worker !== undefined)
  }

  close(timeout = this.#closeTimeout): Promise<void> {
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

  #watch(task: PoolTask, options: RunOptions): void {
    const { terms } = task
    const giveUp = (reason: unknown, outcome: Outcome) => this.#giveUp(task, reason, outcome)
    const cancel = (reason: unknown) => giveUp(reason, options.signal?.aborted ? 'cancelled' : 'failed')
    const isTaken = () => isShared(task) && !task.isQueued && !this.#shared!.withdraw(task)
    terms.watch = watchCancellation(task.name, options, cancel, isTaken)
    if (options.warnAfter !== undefined)
      terms.watch = warnWhenSlow(terms.watch, options.warnAfter, (ms) => this.#warn(task, ms))
    terms.listener?.connect(controlCall(task, giveUp))
  }

  #warn(task: PoolTask, ranMs: number): void {
    void warnOfTask(task, this.#observer.executor, ranMs)
  }

  #giveUp(task: PoolTask, reason: unknown, outcome: Outcome): void {
    if (task.isSettled) return
    const { delivery } = task
    task.terms.cancelReason = reason
    this.#calls.fail(task, () => reason, outcome)
    if (delivery) delivery.slot.cancel(task, reason)
    else if (isShared(task)) this.#shared!.withdraw(task)
    this.#pumpLater()
  }

  /** Hands queued calls to workers with room, in order, and sends them. */
  #pump(): void {
    if (this.#workers.members === 0 && this.#waiting.size > 0) this.#workers.grow(1)
    this.#waiting.offer((task) => (this.#hasPlace || task.terms.isFork) && this.#dispatch.place(task))
    this.#dispatch.flush()
    if (this.#waiting.size > 0) this.#workers.startMissing()
    this.#updateKeepAlive()
    this.onRoom?.()
  }

  /** One more of the calls that wait may leave the pool. */
  get #hasPlace(): boolean {
    return !this.#holdsBack || this.busy - this.#waiting.size < this.places + AHEAD
  }

  /** Takes back the calls that no worker has. */
  #takeBack(): void {
    if (this.#shared && this.#shared.waiting > 0) this.#requeue(this.#shared.recall())
  }

  #onBusy(): void {
    this.#keepAlive.set(true)
    this.#tellBusy?.()
  }

  #tryAgain(task: PoolTask): void {
    this.#enqueue(task)
    if (this.#elastic.isElastic) this.#elastic.onCall()
  }

  #enqueue(task: PoolTask): void {
    this.#waiting.push(task)
    this.#pumpLater()
  }

  /** The shared queue is of use only while somebody takes calls from it; otherwise they wait here, and fail if need be. */
  #onWorkersChange(): void {
    this.#dispatch.isSharing = this.#workers.isUp
    if (this.#shared && !this.#workers.isUp) this.#requeue(this.#shared.recall())
    this.#pump()
  }

  readonly #onReply = (task: PoolTask, kind: number, value: unknown): void => {
    if (kind === REPLY_RESULT) this.#calls.complete(task, value)
    else if (kind === REPLY_ENCODED) this.#calls.completeEncoded(task, value)
    else if (kind === REPLY_UNSENDABLE) this.#calls.failUnsendable(task, 'The result', value)
    else this.#calls.failThrown(task, value)
  }

  /** A worker died: calls that had started are lost, the others go back to the queue. */
  #recover(exit: WorkerExit, held: readonly HeldTask[]): void {
    if (this.#shared && !this.#workers.isUp) this.#requeue(this.#shared.recall()) // they are younger than what it held
    const { again, lost } = divideHeld(held)
    for (const { task } of held) if (isShared(task)) this.#shared!.forget(task)
    for (const task of lost) {
      if (this.#retries.take(task)) this.#calls.takeBack(task)
      else this.#calls.fail(task, () => exitError(task, exit, 1 + this.#retries.deathsOf(task)))
    }
    for (const task of again) if (task.position >= 0) task.hasMoved = true
    this.#requeue(again)
  }

  /** Puts calls back to the front of the queue, in their order. */
  #requeue(tasks: readonly PoolTask[]): void {
    for (const task of [...tasks].reverse()) {
      if (task.isSettled) continue
      this.#calls.takeBack(task)
      this.#waiting.unshift(task)
    }
  }

  /** `lane`: only the calls of this one. */
  #failQueued(makeReason: (task: PoolTask) => unknown, lane?: number): void {
    const fail = (task: PoolTask) => (this.#calls.fail(task, makeReason), true)
    if (lane === undefined) this.#waiting.offer(fail)
    else this.#waiting.offerLane(lane, fail)
  }

  #failAll(makeReason: (task: PoolTask) => unknown): void {
    this.#failQueued(makeReason)
    for (const { running } of this.#workers.slots)
      for (const task of running.values()) this.#calls.fail(task, makeReason)
    for (const task of this.#retries.tasks) this.#calls.fail(task, makeReason)
    for (const task of this.#shared?.tasks ?? []) {
      this.#calls.fail(task, makeReason)
      this.#shared!.withdraw(task)
    }
  }

  #updateKeepAlive(): void {
    const isEnding = !this.#life.isOpen && this.#workers.slots.length > 0
    this.#keepAlive.set(isEnding || this.open > 0 || this.#workers.isStarting)
  }
}

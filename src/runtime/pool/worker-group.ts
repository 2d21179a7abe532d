// Workers that share one queue of calls. A pool has one group; where it chooses the worker of each call it has one for each worker.
//
//   take --> queue --> worker          at most LOOK_AHEAD_US of work ahead of each worker (task-cost.ts);
//              ^         |             the rest stays here, where whichever worker falls idle takes it
//              '- room --'

import { planOnce } from '../executor/plan-once.js'
import type { SizeRange } from '../executor/shared-options.js'
import type { Submit } from '../executor/submit.js'
import { soon } from '../../primitives/timers.js'
import type { Call, CallGroup } from './calls/call.js'
import type { SharedDelivery } from './calls/delivery.js'
import type { PoolCalls } from './calls/pool-calls.js'
import { Dispatch } from './dispatch/dispatch.js'
import { LostCalls } from './dispatch/lost-calls.js'
import { NO_RETRIES, Retries, type RetryPolicy } from './dispatch/retries.js'
import { shareOfWorker } from './balance.js'
import { WaitingCalls } from './dispatch/waiting-calls.js'
import { ElasticSize } from './workers/elastic-size.js'
import { WorkerWatch } from './workers/watch-workers.js'
import { writeEarly } from './workers/call-outbox.js'
import type { StartWorker } from './workers/worker.js'
import { WorkerSet, type WorkerSetEvents, type WorkerSetOptions } from './workers/worker-set.js'

/** How a kind of workers is started, and the queue from which they take calls by themselves, if they have one. */
export interface Runtime {
  readonly startWorker: StartWorker
  readonly shared?: SharedDelivery | undefined
}

export interface GroupOptions extends WorkerSetOptions {
  /** Milliseconds after which a worker that is not needed leaves. */
  readonly idleTimeout: number
  /** What becomes of a call whose worker dies while it runs. Default: it fails. */
  readonly onWorkerExit?: RetryPolicy | undefined
  /** Calls are written as they are made. */
  readonly writesEarly?: boolean | undefined
  /** Calls that may run at a time, whatever each worker may hold; undefined: so many. */
  readonly concurrency?: number | undefined
  /** Calls that one worker may hold, whatever its share in them is. */
  readonly mostPerWorker?: number | undefined
  /** No more than may run at a time leave the queue; otherwise some lie ready for the workers, which then see to it. */
  readonly isStrict?: boolean | undefined
  /** Calls wait in the pool, where they can be passed and discarded, and not where workers take them by themselves. */
  readonly holdsCalls?: boolean | undefined
}

/** What a group needs of its pool. */
export interface GroupHost {
  readonly calls: PoolCalls
  readonly onReply: (call: Call, kind: number, value: unknown) => void
  /** For what tasks in this group fork. */
  readonly submitFork: Submit
  /** Runs a function of the program for one of these. */
  readonly forTask: (run: () => unknown) => unknown
  /** One more call may run, as far as other groups are concerned: some may still have more than their share. */
  readonly mayRun: () => boolean
  /** A call has settled that may have been running. */
  readonly onFreed: () => void
  /** What has to be waited for may have changed. */
  readonly onChange: () => void
  /** There may be room for a call that waits to be let in. */
  readonly onRoom: () => void
}

type MakeReason = (call: Call) => unknown

export class WorkerGroup implements CallGroup {
  open = 0
  suspended = 0
  readonly workers: WorkerSet
  readonly #calls: PoolCalls
  readonly #host: GroupHost
  readonly #options: GroupOptions
  /** The same; what a worker may hold follows the size. */
  readonly #held: GroupOptions & { tasksPerWorker: number }
  readonly #waiting: WaitingCalls
  readonly #retries: Retries
  readonly #elastic: ElasticSize
  readonly #dispatch: Dispatch
  readonly #lost: LostCalls
  readonly #shared: SharedDelivery | undefined
  readonly #watch: WorkerWatch
  #whenIdle: (() => void) | undefined
  /** Plans a look at what waits, and the sending of what was given. */
  readonly pumpLater = planOnce(soon, () => this.#pump())

  constructor({ startWorker, shared }: Runtime, options: GroupOptions, host: GroupHost) {
    this.#options = options
    this.#host = host
    this.#calls = host.calls
    this.#retries = new Retries(options.onWorkerExit ?? NO_RETRIES, (call) => {
      this.#enqueue(call)
      this.#elastic.onCall()
    })
    this.#waiting = new WaitingCalls(options.size.max, this.#retries)
    this.#shared = shared
    if (shared) shared.onRoom = this.#onReplies
    this.#held = { ...options }
    this.workers = new WorkerSet(startWorker, this.#held, this.#workerEvents())
    const calls = { calls: this.#calls, waiting: this.#waiting, retries: this.#retries }
    const parts = { ...calls, workers: this.workers, shared, pumpLater: this.pumpLater }
    this.#dispatch = new Dispatch({ ...parts, group: this, mayRun: host.mayRun }, options)
    this.#lost = new LostCalls({ ...parts, dispatch: this.#dispatch })
    this.#elastic = new ElasticSize(options.size, options.idleTimeout, this.workers, this)
    this.#watch = new WorkerWatch({
      slots: () => this.workers.slots,
      isBusy: () => this.open > 0,
    })
  }

  #workerEvents(): WorkerSetEvents {
    const { calls, onReply, submitFork, forTask } = this.#host
    return {
      onReply,
      submitFork,
      forTask,
      onWaiting: (call) => calls.suspend(call),
      onReplies: this.#onReplies,
      onDone: (call, inputs) => calls.completeInputs(call, inputs),
      onUnsendable: (call, error) => {
        calls.failUnsendable(call, error)
        this.pumpLater() // its place is free again
      },
      onHandOver: () => this.#dispatch.takeBack(),
      onLost: (exit, held) => this.#lost.recover(exit, held),
      onNoWorker: (makeReason, lane) => void this.#failQueued(makeReason, lane),
      onChange: () => {
        if (this.workers.slots.some(({ owes }) => owes)) this.#watch.start()
        this.#elastic.onWorkers()
        this.#pump()
      },
    }
  }

  /** Calls that no worker has. */
  get waiting(): number {
    return this.#waiting.size + this.#dispatch.waiting
  }

  /** Calls that may be running. */
  get taken(): number {
    return this.open - this.#waiting.size
  }

  /** Calls that may run at a time. */
  get places(): number {
    return this.#dispatch.concurrency ?? this.workers.capacity
  }

  /** Takes a new call: it leaves at once, where none waits. */
  take(call: Call): void {
    this.workers.wake()
    if (call.options.priority !== 0) this.#dispatch.hold()
    const isFirst = this.#dispatch.isFirst(call)
    if (this.open++ === 0) this.#watch.start()
    if ((!isFirst || !this.#dispatch.place(call)) && !call.isSettled) this.#enqueue(call)
    if (this.#options.writesEarly && !call.isSettled && writeEarly(call, !call.isQueued)) this.sendNow()
    if (this.#elastic.isElastic) this.#elastic.onCall()
  }

  /** What its caller cannot wait for the microtasks to send. */
  sendNow(): void {
    this.#pump()
    this.#dispatch.sendNow()
  }

  /** A call of it has settled. */
  drop(call: Call): void {
    if (call.placement?.isSuspended) this.suspended--
    if (call.isQueued) this.#waiting.forget(call)
    else this.#host.onFreed()
    if (--this.open === 0) this.#whenIdle?.()
  }

  /** Resolves when it has no call. */
  whenIdle(): Promise<void> {
    return this.open === 0 ? Promise.resolve() : new Promise((resolve) => (this.#whenIdle = resolve))
  }

  /** A worker has died over it, and it is to be tried again. */
  isQuarantined(call: Call): boolean {
    return this.#retries.isQuarantined(call)
  }

  /** Takes a call back that no worker has. False: one has it, or had it, and has not said so. */
  withdraw(call: Call): boolean {
    return this.#dispatch.withdraw(call)
  }

  /** There may be room for a call that waits. */
  look(): void {
    if (this.#waiting.size > 0) this.pumpLater()
  }

  discardOldest(makeReason: MakeReason): boolean {
    this.#dispatch.takeBack()
    const oldest = this.#waiting.findOldest()
    if (oldest) this.#calls.fail(oldest, makeReason)
    this.pumpLater()
    return oldest !== undefined
  }

  /** `concurrency`: its share in the calls that may run. */
  resize(size: SizeRange, concurrency: number | undefined): void {
    if (concurrency !== undefined) this.#shareOut(concurrency, size.max)
    this.#dispatch.takeBack() // those with a key: from now on their worker may be another one
    this.#elastic.resize(size)
    this.#dispatch.lanes = size.max
    this.#waiting.setLanes(size.max)
    this.workers.resize(size)
    this.#pump()
  }

  #shareOut(concurrency: number, workers: number): void {
    const tasks = shareOfWorker(concurrency, workers, this.#options.mostPerWorker)
    this.#dispatch.concurrency = concurrency
    this.#held.tasksPerWorker = tasks
    this.#shared?.allow(tasks)
  }

  /** All its calls: they may be very many. */
  async failAll(makeReason: MakeReason): Promise<void> {
    const failing = this.#lost.failAll(makeReason)
    await Promise.resolve() // a getter among the arguments of a call may have ended the pool: now that call has its place
    await this.#lost.failAll(makeReason)
    await failing
  }

  /** Resolves when the last worker is gone. */
  end(how: 'close' | 'terminate', reason: unknown): Promise<void> {
    this.#elastic.end()
    return this.workers.end(how, reason)
  }

  async #failQueued(makeReason: () => unknown, lane: number | undefined): Promise<void> {
    await this.#lost.failQueued(makeReason, lane)
    this.pumpLater() // they had a share in what may run
  }

  /** Hands queued calls to workers with room, in order, and sends them. */
  #pump(): void {
    this.#dispatch.offerAll()
    this.#dispatch.flush()
    if (this.#waiting.size > 0 || (!this.workers.isUp && this.waiting > 0)) this.workers.startMissing()
    this.#host.onChange()
    this.#host.onRoom()
  }

  /** There may be room for calls that wait. Most times none does, and calls that were given leave by themselves. */
  readonly #onReplies = (): void => {
    if (this.#waiting.size > 0 || this.#dispatch.hasUnsent) this.#pump()
    else this.#host.onRoom()
  }

  #enqueue(call: Call): void {
    this.#waiting.push(call)
    this.pumpLater()
  }
}

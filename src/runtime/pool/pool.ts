// The engine behind threads and processes: accepts calls, hands them to workers, settles every one of them.
//
//   run() --> group --> worker          worker-group.ts: one for all workers, which share its queue; or one for each worker,
//     ^                   |             where a rule or a key says which of them a call is for, even when others are idle
//     '---- settle <------'
//
// What becomes of a call, by where it is when something goes wrong:
//   worker dies      queued: stays   sent, not started: back to the front of the queue
//                    started, or its buffers were transferred: TW_ERR_WORKER_EXITED
//   start fails      queued: TW_ERR_START_FAILED or _TIMEOUT, if no other worker is left to take it
//   caller aborts    settled at once; the worker is told; a late reply is dropped
//   close(timeout)   finishes, or TW_ERR_CLOSED           destroy()   TW_ERR_DESTROYED

import type { RunOptions, WorkerStats } from '../executor/executor.js'
import type { SizeRange } from '../executor/shared-options.js'
import { planOnce } from '../executor/plan-once.js'
import type { Counts } from '../executor/stats.js'
import type { Submit } from '../executor/submit.js'
import { REPLY_RESULT, REPLY_UNREADABLE, REPLY_UNSENDABLE, type Unsendable } from '../wire/messages.js'
import type { Admitting } from '../core/admission.js'
import { createKeepAlive, PoolLife } from '../core/lifecycle.js'
import { Observer } from '../core/observer.js'
import { isForTaskOf, runForTask } from '../core/for-task.js'
import { mapNow } from '../executor/calls-of-a-map.js'
import { soon } from '../../primitives/timers.js'
import { laneOf, shareOfLane, shareOfWorker, type Rule, type WorkerLoad } from './balance.js'
import { callOptions, createCall, eachOptions, forkOptions, laneOptions, type Call } from './calls/call.js'
import { PoolCalls } from './calls/pool-calls.js'
import { giveUpCall, watchCall } from './calls/watch-call.js'
import { WorkerGroup, type GroupHost, type GroupOptions, type Runtime } from './worker-group.js'
import { describeWorker, inspectWorkers } from './workers/describe-worker.js'

export interface PoolOptions extends GroupOptions {
  readonly closeTimeout: number
  /** Chooses the worker of a call without a key. Undefined: all workers take calls from one queue. */
  readonly choose?: Rule | undefined
  readonly observer?: Observer | undefined
  /** Told when the first call comes after all others have settled. */
  readonly onBusy?: (() => void) | undefined
}

/** What differs between the groups of a pool. */
export type OwnOptions = Pick<GroupOptions, 'size' | 'tasksPerWorker' | 'concurrency' | 'lanesBefore'>

export class Pool implements Admitting {
  /** Resolves when all workers are up for the first time. */
  readonly ready: Promise<void>
  /** Calls the function once for each input; they travel, and settle, as one call. Undefined: they may be for several workers. */
  readonly submitEach: Submit | undefined
  readonly #calls: PoolCalls
  readonly #createRuntime: (own: OwnOptions) => Runtime
  readonly #options: PoolOptions
  readonly #observer: Observer
  readonly #keepAlive = createKeepAlive()
  #groups: readonly WorkerGroup[] = []
  /** Groups that were given up, until their last call is done. */
  #leaving: readonly WorkerGroup[] = []
  /** What a rule sees of the groups; it may be a function of the user's. */
  #loads: readonly WorkerLoad[] = []
  readonly #life = new PoolLife({
    isIdle: () => this.open === 0,
    failAll: (makeReason) => inEach(this.#all, (group) => group.failAll(makeReason)),
    onEnding: () => {
      this.#updateKeepAlive()
      this.onRoom?.() // for those who wait to be let in: they are sent away
    },
    end: (how) => this.#end(how),
  })
  #lastWorker = 0
  /** Callers of recycleNow() that wait. */
  #recyclers = 0
  onRoom: (() => void) | undefined
  readonly #lookLater = planOnce(soon, () => this.#all.forEach((group) => group.look()))
  readonly #host: Omit<GroupHost, 'submitFork'>

  constructor(createRuntime: (own: OwnOptions) => Runtime, options: PoolOptions) {
    this.#createRuntime = createRuntime
    this.#options = options
    this.#observer = options.observer ?? new Observer({ name: 'threadwise', kind: 'threads' })
    this.#calls = new PoolCalls(this.#observer, () => {
      this.#updateKeepAlive()
      this.#life.onIdle()
    })
    this.#host = this.#hostOf(options)
    const { choose, size } = options
    if (choose) this.#direct(size)
    else {
      this.#groups = [this.#createGroup(options)]
      this.submitEach = (name, inputs, options) =>
        this.#accept(createCall(this.#groups[0]!, name, inputs, eachOptions(options)), options)
    }
    this.ready = inEach(this.#groups, (group) => this.#readyOf(group))
    this.ready.catch(() => {}) // who never looks at `ready` learns of the failure from the calls
    this.#updateKeepAlive()
  }

  #hostOf({ choose, concurrency }: PoolOptions): Omit<GroupHost, 'submitFork'> {
    const isShared = choose !== undefined && concurrency !== undefined
    return {
      calls: this.#calls,
      onReply: this.#onReply,
      forTask: (run) => runForTask(this, run),
      mayRun: isShared ? () => sum(this.#all, ({ taken }) => taken) < concurrency : () => true,
      onFreed: isShared ? this.#lookLater : () => {},
      onChange: () => this.#updateKeepAlive(),
      onRoom: () => this.onRoom?.(),
    }
  }

  #createGroup({ size, tasksPerWorker, concurrency, lanesBefore }: OwnOptions): WorkerGroup {
    const own = { size, tasksPerWorker, concurrency, lanesBefore }
    const { startWorker, shared } = this.#createRuntime(own)
    const runtime: Runtime = {
      startWorker: ({ slot }, events) => startWorker({ id: ++this.#lastWorker, slot }, events),
      shared,
    }
    const host: GroupHost = { ...this.#host, submitFork: (...call) => this.#fork(group, call) }
    const group: WorkerGroup = new WorkerGroup(runtime, { ...this.#options, ...own }, host)
    return group
  }

  /** Whoever waits for its workers cannot wait for the first call. */
  wake(): void {
    for (const { workers } of this.#groups) workers.wake()
  }

  /** Calls that are not settled. */
  get open(): number {
    return this.#calls.open
  }

  get busy(): number {
    return this.#calls.open
  }

  /** Workers that are up or starting. */
  get size(): number {
    return sum(this.#all, ({ workers }) => workers.workerCount)
  }

  get places(): number {
    return sum(this.#groups, ({ places }) => places)
  }

  get isOpen(): boolean {
    return this.#life.isOpen
  }

  /** Exact, and so more work than `open` when many calls wait. */
  get counts(): Counts {
    const queued = sum(this.#all, ({ waiting }) => waiting)
    return { queued, running: this.open - queued, ...this.#calls.counts }
  }

  get workers(): readonly WorkerStats[] {
    return this.#all.flatMap(({ workers }) => workers.slots.map(describeWorker))
  }

  async inspect(): Promise<readonly WorkerStats[]> {
    return (await Promise.all(this.#all.map(({ workers }) => inspectWorkers(workers.slots)))).flat()
  }

  discardOldest(makeReason: (call: Call) => unknown): boolean {
    const fullestFirst = [...this.#groups].sort((a, b) => b.open - a.open)
    return fullestFirst.some((group) => group.discardOldest(makeReason))
  }

  submit(name: string, args: readonly unknown[], options: RunOptions | undefined): Promise<unknown> {
    if (isForTaskOf(this)) return this.submitForTask(name, args, options)
    const group = this.#options.choose ? this.#groupFor(name, args, options?.key) : this.#groups[0]!
    if ('then' in group) return group
    const result = this.#accept(createCall(group, name, args, callOptions(options)), options)
    if (options?.sendNow) group.sendNow()
    return result
  }

  /** Of a function of the program that a task of this pool waits for: it passes all that holds calls back. */
  submitForTask(name: string, args: readonly unknown[], options: RunOptions | undefined): Promise<unknown> {
    return this.#fork(this.#groups[0]!, [name, args, options])
  }

  /** One call for each worker that is there. */
  broadcast(name: string, args: readonly unknown[], options: RunOptions | undefined): Promise<unknown[]> {
    if (!this.#life.isOpen) return Promise.reject(this.#life.lateError) // there may be no worker whose call would be refused
    if (options?.signal?.aborted) return Promise.reject(options.signal.reason)
    const calls = this.#groups.flatMap((group) => {
      if (!this.#groups.includes(group)) return [] // a getter among the arguments has called resize()
      const call = (lane: number) => createCall(group, name, args, laneOptions(options, lane))
      return group.workers.lanes.map((lane) => this.#accept(call(lane), options))
    })
    return Promise.all(calls)
  }

  /** Calls with a key, and those of a rule, may go to other workers from now on. */
  resize(size: SizeRange): void {
    if (!this.#options.choose) this.#groups[0]!.resize(size, this.#options.concurrency)
    else if (this.#life.isOpen) this.#direct(size)
  }

  /** Replaces all workers that there are now; resolves when the last of them has ended. */
  async recycleNow(): Promise<void> {
    if (!this.#life.isOpen) throw this.#life.lateError
    this.#recyclers++
    this.#updateKeepAlive()
    try {
      await inEach(this.#groups, ({ workers }) => workers.recycleAll())
    } finally {
      this.#recyclers--
      this.#updateKeepAlive()
    }
  }

  close(timeout = this.#options.closeTimeout): Promise<void> {
    return this.#life.close(timeout)
  }

  destroy(reason: unknown): Promise<void> {
    return this.#life.destroy(reason)
  }

  #accept(call: Call, options?: RunOptions): Promise<unknown> {
    if (!this.#life.isOpen && !(call.options.isFork && this.#life.takesForks))
      return Promise.reject(this.#life.lateError)
    if (options?.signal?.aborted) return Promise.reject(options.signal.reason)
    const result = new Promise<unknown>((resolve) => (call.resolve = resolve))
    call.timing = this.#observer.accept(call.name)
    if (call.options.announceStart) watchCall(call, options!, this.#calls)
    else mapNow.onCall?.((reason) => giveUpCall(call, { reason, outcome: 'cancelled' }, this.#calls))
    if (this.#calls.open++ === 0) this.#onBusy()
    call.group.take(call)
    return result
  }

  /** What a task of this group has forked goes by the rule, too; when the pool closes, this group must take it. */
  #fork(from: WorkerGroup, [name, args, options]: Parameters<Submit>): Promise<unknown> {
    const group = this.#options.choose && this.#life.isOpen ? this.#groupFor(name, args) : from
    if ('then' in group) return group
    return this.#accept(createCall(group, name, args, forkOptions(options)), options)
  }

  /** By its key, or by the rule, which may be the user's and throw. */
  #groupFor(name: string, args: readonly unknown[], key?: string | number): WorkerGroup | Promise<never> {
    const groups = this.#groups
    if (!this.#life.isOpen) return Promise.reject(this.#life.lateError)
    if (key !== undefined) return groups[laneOf(key, groups.length)]!
    try {
      const index = this.#options.choose!(this.#loads, name, args)
      return this.#groups[index % this.#groups.length]! // a rule may have called resize()
    } catch (error) {
      this.#observer.endAtOnce(name, 'failed')
      this.#calls.count('failed', false)
      return Promise.reject(error)
    }
  }

  /** A group for each worker. */
  #direct({ min, max }: SizeRange): void {
    for (const group of this.#groups.slice(max)) void this.#letGo(group)
    const groups = this.#groups.slice(0, max)
    for (let i = 0; i < max; i++) {
      const own = this.#ownOptions(i, { min: i < min ? 1 : 0, max: 1 }, max)
      if (i < groups.length) groups[i]!.resize(own.size, own.concurrency)
      else groups.push(this.#createGroup(own))
    }
    this.#groups = groups
    this.#loads = Object.freeze(groups.map(loadOf))
    this.onRoom?.()
  }

  #ownOptions(lanesBefore: number, size: SizeRange, groups: number): OwnOptions {
    const { concurrency: all, tasksPerWorker, mostPerWorker } = this.#options
    if (all === undefined) return { size, tasksPerWorker, lanesBefore }
    const concurrency = shareOfLane(all, groups, lanesBefore)
    const share = shareOfWorker(concurrency, 1, mostPerWorker)
    return { size, tasksPerWorker: share, concurrency, lanesBefore }
  }

  /** It does what it has. */
  async #letGo(group: WorkerGroup): Promise<void> {
    this.#leaving = [...this.#leaving, group]
    await group.whenIdle()
    await group.end('close', this.#life.lateError)
    this.#leaving = this.#leaving.filter((other) => other !== group)
    this.#updateKeepAlive()
  }

  /** One that was given up meanwhile is not waited for. */
  async #readyOf(group: WorkerGroup): Promise<void> {
    try {
      await group.workers.ready
    } catch (error) {
      if (this.#groups.includes(group)) throw error
    }
  }

  get #all(): readonly WorkerGroup[] {
    return this.#leaving.length === 0 ? this.#groups : [...this.#groups, ...this.#leaving]
  }

  /** Holds the process until the last worker is gone. */
  async #end(how: 'close' | 'terminate'): Promise<void> {
    const ended = inEach(this.#all, (group) => group.end(how, this.#life.lateError))
    this.#updateKeepAlive()
    await ended
    this.#keepAlive.end()
  }

  #onBusy(): void {
    this.#keepAlive.set(true)
    this.#options.onBusy?.()
  }

  readonly #onReply = (call: Call, kind: number, value: unknown): void => {
    if (kind === REPLY_RESULT) this.#calls.complete(call, value)
    else if (kind === REPLY_UNSENDABLE) this.#calls.failUnsendableResult(call, value as Unsendable)
    else if (kind === REPLY_UNREADABLE) this.#calls.failStarted(call, () => value)
    else this.#calls.failThrown(call, value)
  }

  #updateKeepAlive(): void {
    const isAwaited = this.open > 0 || this.#recyclers > 0 || this.#leaving.length > 0
    this.#keepAlive.set(isAwaited || this.#groups.some(this.#isAwaited))
  }

  /** Its workers start, or fail to, or they are to end. */
  readonly #isAwaited = ({ workers }: WorkerGroup): boolean =>
    workers.hasUnstarted || (!this.#life.isOpen && workers.slots.length > 0)
}

function sum(groups: readonly WorkerGroup[], count: (group: WorkerGroup) => number): number {
  return groups.reduce((total, group) => total + count(group), 0)
}

async function inEach(
  groups: readonly WorkerGroup[],
  work: (group: WorkerGroup) => Promise<void>,
): Promise<void> {
  await Promise.all(groups.map(work))
}

function loadOf(group: WorkerGroup): WorkerLoad {
  return Object.freeze({
    get open() {
      return group.open
    },
  })
}

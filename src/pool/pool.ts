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

import { ThreadwiseError } from '../errors.js'
import { watchCancellation } from '../executor/cancellation.js'
import type { RunOptions } from '../executor/executor.js'
import { inTime, lateCallError, type LifeState } from '../executor/lifecycle.js'
import { REPLY_RESULT, REPLY_UNSENDABLE } from '../protocol/messages.js'
import { decodeThrown, type EncodedThrown } from '../protocol/serialize-error.js'
import { callerStack, rethrow } from './caller-stack.js'
import { createKeepAlive } from './keep-alive.js'
import { pickWorker } from './pick-worker.js'
import { createPoolTask, type PoolTask } from './pool-task.js'
import type { StartWorker, WorkerExit } from './pool-worker.js'
import { RingQueue } from './ring-queue.js'
import { TaskCosts } from './task-cost.js'
import type { WorkerSlot } from './worker-slot.js'
import { Workforce, type WorkforceOptions } from './workforce.js'

export interface PoolOptions extends WorkforceOptions {
  readonly closeTimeout: number
}

type Outcome = 'completed' | 'failed' | 'cancelled'

/** Settled calls hold no arguments. */
const NO_ARGS: readonly unknown[] = Object.freeze([])

export class Pool {
  readonly counts = { queued: 0, running: 0, completed: 0, failed: 0, cancelled: 0 }
  readonly #closeTimeout: number
  readonly #queue = new RingQueue<PoolTask>()
  readonly #costs = new TaskCosts()
  readonly #keepAlive = createKeepAlive()
  readonly #workers: Workforce
  #life: LifeState = 'open'
  #destroyReason: unknown
  #closing: Promise<void> | undefined
  #onIdle: (() => void) | undefined
  #nextTask = 1
  #isPumpPlanned = false
  #isFlushPlanned = false

  constructor(startWorker: StartWorker, options: PoolOptions) {
    this.#closeTimeout = options.closeTimeout
    this.#workers = new Workforce(startWorker, options, {
      onReply: (task, kind, value) => this.#onReply(task, kind, value),
      onReplies: () => this.#pump(),
      onUnsendable: (task, error) => {
        this.#failUnsendable(task, 'An argument', error)
        this.#pumpLater() // its place is free again
      },
      onLost: (slot, exit) => this.#recover(slot, exit),
      onNoWorker: (makeReason) => this.#failQueued(makeReason),
      onChange: () => this.#pump(),
    })
    this.#updateKeepAlive()
  }

  get ready(): Promise<void> {
    return this.#workers.ready
  }

  get size(): number {
    return this.#workers.slots.length
  }

  submit(name: string, args: readonly unknown[], options: RunOptions | undefined): Promise<unknown> {
    if (this.#life !== 'open') return Promise.reject(lateCallError(this.#life, this.#destroyReason))
    if (options?.signal?.aborted) return Promise.reject(options.signal.reason)
    const result = new Promise<unknown>((resolve, reject) => {
      const call = { id: this.#nextTask++, name, args, cost: this.#costs.of(name), resolve, reject }
      const task = createPoolTask(call, options)
      if (task.announceStart) this.#watch(task, options!)
      this.#queue.push(task)
    })
    this.counts.queued++
    this.#keepAlive.set(true)
    this.#pumpLater()
    return result.then(undefined, rethrow)
  }

  close(timeout = this.#closeTimeout): Promise<void> {
    if (this.#life === 'open') {
      this.#life = 'closing'
      this.#closing = this.#close(timeout)
    }
    return this.#closing ?? this.#end('terminate')
  }

  async destroy(reason: unknown): Promise<void> {
    if (this.#life === 'open' || this.#life === 'closing') {
      this.#life = 'destroyed'
      this.#destroyReason = reason
      this.#failAll(() => lateCallError('destroyed', reason))
    }
    await this.#end('terminate')
  }

  async #close(timeout: number): Promise<void> {
    const idle = this.#isIdle() ? Promise.resolve() : new Promise<void>((resolve) => (this.#onIdle = resolve))
    const isIdle = await inTime(idle, timeout)
    if (!isIdle)
      this.#failAll((task) => new ThreadwiseError('TW_ERR_CLOSED', { late: true, task: task.name, timeout }))
    await this.#end(isIdle ? 'close' : 'terminate')
    if (this.#life === 'closing') this.#life = 'closed'
  }

  /** Holds the process until the last worker is gone. */
  async #end(how: 'close' | 'terminate'): Promise<void> {
    const ended = this.#workers.end(how, lateCallError(this.#life, this.#destroyReason))
    this.#updateKeepAlive()
    await ended
    this.#keepAlive.end()
  }

  #watch(task: PoolTask, options: RunOptions): void {
    task.watch = watchCancellation(task.name, options, (reason) => {
      const outcome = options.signal?.aborted ? 'cancelled' : 'failed'
      const { slot } = task
      this.#settle(task, outcome)
      task.reject(() => reason)
      slot?.cancel(task, reason)
      this.#pumpLater()
    })
  }

  #pumpLater(): void {
    if (this.#isPumpPlanned) return
    this.#isPumpPlanned = true
    queueMicrotask(() => this.#pump())
  }

  /** Hands queued calls to workers with room, in order, and sends them. */
  #pump(): void {
    this.#isPumpPlanned = false
    if (this.#workers.slots.length === 0 && this.counts.queued > 0) this.#workers.startMissing()
    const { slots } = this.#workers
    for (let task = this.#queue.peek(); task; task = this.#queue.peek()) {
      if (!task.isSettled) {
        const slot = pickWorker(slots, task)
        if (!slot) break
        this.counts.queued--
        this.counts.running++
        task.slot = slot
        slot.give(task)
      }
      this.#queue.shift()
    }
    for (const slot of slots) {
      if (slot.isIdle) slot.flush()
      else if (slot.hasUnsent) this.#flushLater()
    }
    if (this.counts.queued > 0) this.#workers.startMissing()
    this.#updateKeepAlive()
  }

  /**
   * A worker that has something to do gets its next calls after all replies of this turn have been read. Sending at once
   * would keep batches as small as they happened to be: 0.2 M calls/s instead of 1.6 M (no-ops, two threads, Node 20).
   */
  #flushLater(): void {
    if (this.#isFlushPlanned) return
    this.#isFlushPlanned = true
    setImmediate(() => {
      this.#isFlushPlanned = false
      for (const slot of this.#workers.slots) slot.flush()
    })
  }

  #onReply(task: PoolTask, kind: number, value: unknown): void {
    if (task.isSettled) return
    if (kind === REPLY_RESULT) {
      this.#settle(task, 'completed')
      task.resolve(value)
    } else if (kind === REPLY_UNSENDABLE) {
      this.#failUnsendable(task, 'The result', value)
    } else {
      this.#fail(task, () => decodeThrown(value as EncodedThrown, callerStack(task.name)))
    }
  }

  /** A worker died: calls that had started are lost, the others go back to the front of the queue, in their order. */
  #recover(slot: WorkerSlot, exit: WorkerExit): void {
    const { how } = exit
    for (const task of [...slot.running.values()].reverse()) {
      if (task.isSettled) continue
      if (canGoAgain(task, slot)) this.#requeue(task)
      else
        this.#fail(task, ({ name }) => new ThreadwiseError('TW_ERR_WORKER_EXITED', { task: name, how }, exit))
    }
  }

  #requeue(task: PoolTask): void {
    this.counts.running--
    this.counts.queued++
    if (task.position >= 0) task.hasMoved = true
    task.slot = undefined
    task.position = -1
    this.#queue.unshift(task)
  }

  #failUnsendable(task: PoolTask, what: string, error: unknown): void {
    const reason = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
    this.#fail(task, () => new ThreadwiseError('TW_ERR_NOT_CLONEABLE', { what, task: task.name, reason }))
  }

  #failQueued(makeReason: (task: PoolTask) => unknown): void {
    for (let task = this.#queue.shift(); task; task = this.#queue.shift()) this.#fail(task, makeReason)
  }

  #failAll(makeReason: (task: PoolTask) => unknown): void {
    this.#failQueued(makeReason)
    for (const { running } of this.#workers.slots)
      for (const task of running.values()) this.#fail(task, makeReason)
  }

  #fail(task: PoolTask, makeReason: (task: PoolTask) => unknown): void {
    if (task.isSettled) return
    this.#settle(task, 'failed')
    task.reject(() => makeReason(task))
  }

  #settle(task: PoolTask, outcome: Outcome): void {
    task.isSettled = true
    task.watch?.release()
    task.args = NO_ARGS
    this.counts[outcome]++
    if (task.slot) this.counts.running--
    else this.counts.queued--
    if (!this.#isIdle()) return
    this.#updateKeepAlive()
    this.#onIdle?.()
  }

  #isIdle(): boolean {
    return this.counts.queued + this.counts.running === 0
  }

  #updateKeepAlive(): void {
    const isEnding = this.#life !== 'open' && this.#workers.slots.length > 0
    this.#keepAlive.set(isEnding || !this.#isIdle() || this.#workers.isStarting)
  }
}

/**
 * Whether a call of a dead worker can be given to another one. A call that was sent twice may be what kills the workers,
 * even though none of them came to start it: its arguments may be too large for them.
 */
function canGoAgain(task: PoolTask, slot: WorkerSlot): boolean {
  if (task.position < 0) return true
  const areBuffersGone = task.transfer !== undefined
  return !slot.mayHaveStarted(task) && !areBuffersGone && !task.hasMoved
}

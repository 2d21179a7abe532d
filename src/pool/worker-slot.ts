// One worker's life as the pool sees it, and the calls that it holds.
//
//   starting --> up --> ending --> gone
//       \_________\________________/^        (a worker may end by itself at any time)
//
// The slot knows which calls were sent and in which order; the pool decides what becomes of those that a dead worker held.

import { startTimer, type Timer } from '../executor/timer.js'
import { REPLY_SIZE, REPLY_STARTED, REPLY_WAITING } from '../protocol/messages.js'
import type { FromWorker, ReplyBatch } from '../protocol/messages.js'
import { describeFields, encodeThrown, type EncodedThrown } from '../protocol/serialize-error.js'
import { CallOutbox } from './call-outbox.js'
import { deliver, isShared, type PoolTask } from './pool-task.js'
import type { HeldTask, PoolWorker, StartWorker, WorkerExit } from './pool-worker.js'
import { SlotLoad } from './slot-load.js'
import type { TaskCost } from './task-cost.js'

export interface SlotEvents {
  onUp(slot: WorkerSlot): void
  readonly onReply: (task: PoolTask, kind: number, value: unknown) => void
  /** The call waits on a promise: its worker is free. */
  onWaiting(task: PoolTask): void
  /** After each message, and when room is made otherwise: there may be room for further calls. */
  onReplies(): void
  onUnsendable(task: PoolTask, error: unknown): void
  onGone(slot: WorkerSlot, exit: WorkerExit, held: readonly HeldTask[]): void
}

export interface SlotOptions {
  readonly startTimeout: number
  readonly tasksPerWorker: number
}

/** Milliseconds that an idle worker gets to run its exit handlers; then it is terminated. */
const CLOSE_GRACE_MS = 1000

export class WorkerSlot {
  lane = 0 // its place in the pool: lane.ts
  state: 'starting' | 'up' | 'ending' | 'gone' = 'starting'
  wasUp = false
  hasAnswered = false
  /** It ends because the pool wants it to, not by itself. */
  isEndedByPool = false
  /** Why it never came up, if the module said so or the time ran out; otherwise its exit tells. */
  startFailure: EncodedThrown | 'timeout' | undefined
  /** Calls that this worker holds, in order; cancelled ones until it has answered. From the shared queue: that it told of. */
  readonly running = new Map<number, PoolTask>()
  readonly load = new SlotLoad()
  /** Ids of calls that are sent are negative: those of the shared queue are not. */
  #lastId = 0
  readonly #outbox = new CallOutbox()
  /** It takes no calls from a shared queue. */
  #isRetired: boolean
  readonly #worker: PoolWorker
  readonly #events: SlotEvents
  readonly #options: SlotOptions
  #timer: Timer

  constructor(id: number, startWorker: StartWorker, events: SlotEvents, options: SlotOptions) {
    this.#events = events
    this.#options = options
    this.#worker = this.#start(id, startWorker)
    this.#isRetired = this.#worker.onQueuedReply === undefined
    this.#endIn(options.startTimeout, () => this.#failStart('timeout'))
  }

  /** It holds calls that were sent to it and do not wait. */
  get isBusy(): boolean {
    return this.load.busy > 0
  }

  /** It has answered, or waits on, everything that was sent. */
  get isIdle(): boolean {
    return this.load.busy === this.#outbox.size
  }

  get hasUnsent(): boolean {
    return this.#outbox.size > 0
  }

  /** It can start a call as soon as it is up and has done what it was given. */
  get hasPlace(): boolean {
    if (this.state === 'ending' || this.state === 'gone' || this.#isSpent) return false
    return this.load.waiting < this.#options.tasksPerWorker
  }

  hasRoomFor(cost: TaskCost): boolean {
    if (this.state !== 'up' || this.#isSpent) return false
    if (this.running.size - this.load.abandoned >= this.#options.tasksPerWorker) return false
    return this.load.hasRoomFor(cost)
  }

  /** Takes a call; it leaves with the next flush(). `after`: position in the shared queue before which calls are older. */
  give(task: PoolTask, cost: TaskCost, after: number): void {
    task.id = --this.#lastId
    this.running.set(task.id, task)
    this.load.charge(deliver(task, this, cost).chargedUs)
    this.#outbox.push(task, after)
  }

  /** Sends what was given. */
  flush(): void {
    if (this.#outbox.size === 0 || this.state !== 'up') return
    this.#outbox.flush(this.#worker.channel, (task, error) => {
      this.#release(task)
      this.#events.onUnsendable(task, error)
    })
  }

  /** Tells the worker that nobody waits for this call any more, and ends the worker if the call then blocks it. */
  cancel(task: PoolTask, reason: unknown): void {
    if (this.#outbox.remove(task)) return this.#release(task)
    if (this.state !== 'up') return
    this.#sendCancel(task.id, encodeThrown(reason))
    if (task.delivery?.hasStarted) this.#startGrace(task)
  }

  /** Asks an idle worker to end by itself, so that its exit handlers run and its output is flushed. */
  close(): void {
    if (this.state === 'ending' || this.state === 'gone') return
    if (this.state === 'starting') return this.terminate()
    this.state = 'ending'
    this.isEndedByPool = true
    this.#worker.channel.send({ type: 'close' })
    this.#endIn(CLOSE_GRACE_MS, () => this.#worker.terminate())
  }

  /** Ends the worker whatever it is doing. */
  terminate(): void {
    if (this.state === 'gone') return
    this.state = 'ending'
    this.isEndedByPool = true
    clearTimeout(this.#timer)
    this.#worker.terminate()
  }

  /** True if the call may have run. Where the runtime cannot tell, every call that was sent may have. */
  #mayHaveStarted(task: PoolTask): boolean {
    if (task.position < 0) return false
    if (isShared(task)) return true // it said so
    const started = this.#worker.channel.startedCalls?.()
    return started === undefined || ((task.position - started) | 0) < 0
  }

  #start(id: number, startWorker: StartWorker): PoolWorker {
    try {
      return startWorker(id, {
        onMessage: (message) => this.#onMessage(message),
        onReply: this.#onSharedReply,
        onEnding: () => this.#onEnding(),
        onExit: (exit, held = []) => this.#onExit(exit, held),
      })
    } catch (error) {
      this.startFailure = encodeThrown(error)
      setImmediate(() => this.#onExit({ how: 'before it ran' }, []))
      return noWorker
    }
  }

  #sendCancel(id: number, reason: EncodedThrown): void {
    for (const form of [reason, describeFields(reason)]) {
      try {
        return this.#worker.channel.send({ type: 'cancel', id, reason: form })
      } catch {
        // Not every channel carries what structured clone does. At worst the task is not told.
      }
    }
  }

  #onMessage(message: FromWorker): void {
    if (Array.isArray(message)) {
      this.#onReplies(message)
    } else if (message.type === 'start-failed') {
      this.#failStart(message.error)
    } else if (message.type === 'retired') {
      this.#isRetired = true
      this.#endWhenSpent()
    } else if (this.state === 'starting') {
      clearTimeout(this.#timer)
      this.state = 'up'
      this.wasUp = true
      this.#events.onUp(this)
    }
  }

  #failStart(failure: EncodedThrown | 'timeout'): void {
    this.startFailure = failure
    this.terminate()
  }

  #onReplies(replies: ReplyBatch): void {
    for (let i = 0; i < replies.length; i += REPLY_SIZE) {
      const kind = replies[i] as number
      const id = replies[i + 1] as number
      if (id >= 0) this.#worker.onQueuedReply?.(id, kind, replies[i + 2])
      const task = id < 0 ? this.running.get(id) : undefined
      if (!task) continue
      if (kind === REPLY_STARTED) {
        this.#onStarted(task)
        continue
      }
      const delivery = task.delivery!
      if (!delivery.isWaiting) delivery.cost.record(replies[i + 3] as number)
      if (kind === REPLY_WAITING) {
        this.#suspend(task)
        continue
      }
      this.hasAnswered = true
      this.#release(task)
      this.#events.onReply(task, kind, replies[i + 2])
    }
    this.#events.onReplies()
  }

  /** A reply to a call that this worker took from the shared queue. */
  readonly #onSharedReply = (task: PoolTask, kind: number, value: unknown): void => {
    if (kind === REPLY_STARTED || kind === REPLY_WAITING) {
      this.running.set(task.id, task)
      if (!task.delivery) deliver(task, this)
      if (kind === REPLY_WAITING) this.#suspend(task)
      else this.#onStarted(task)
      return
    }
    this.hasAnswered = true
    if (task.delivery) this.#release(task)
    this.#events.onReply(task, kind, value)
  }

  #suspend(task: PoolTask): void {
    this.load.suspend(task)
    this.#events.onWaiting(task)
  }

  #onStarted(task: PoolTask): void {
    task.delivery!.hasStarted = true
    if (!task.isSettled) return task.terms.watch?.start()
    // It was cancelled while it was under way to a worker that we did not know.
    if (isShared(task)) this.#sendCancel(task.id, encodeThrown(task.terms.cancelReason))
    this.#startGrace(task)
  }

  #release(task: PoolTask): void {
    this.load.release(task)
    this.running.delete(task.id)
    this.#endWhenSpent()
  }

  /** A call that nobody waits for any more has gracePeriod, from its start, to end by itself. */
  #startGrace(task: PoolTask): void {
    startTimer(task.terms.gracePeriod, () => {
      if (this.running.get(task.id) !== task) return // the number may be another call's by now
      if (task.delivery!.isWaiting) this.#abandon(task)
      else this.terminate() // it blocks the others
    })?.unref()
  }

  /** It waits on a promise that may never settle: others get its place. */
  #abandon(task: PoolTask): void {
    this.load.abandon(task)
    if (!this.#isRetired) {
      this.#worker.channel.send({ type: 'abandon', id: task.id })
      if (this.#isSpent) this.#worker.channel.send({ type: 'retire' })
    }
    this.#endWhenSpent()
    this.#events.onReplies()
  }

  /** So many abandoned promises are open that a new worker is better; each holds memory, and maybe a connection. */
  get #isSpent(): boolean {
    return this.load.abandoned >= this.#options.tasksPerWorker
  }

  #endWhenSpent(): void {
    if (this.#isSpent && this.#isRetired && this.running.size === this.load.abandoned) this.terminate()
  }

  #endIn(ms: number, action: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = startTimer(ms, action)
    this.#timer?.unref()
  }

  #onEnding(): void {
    if (this.state !== 'gone') this.state = 'ending'
  }

  #onExit(exit: WorkerExit, held: readonly HeldTask[]): void {
    clearTimeout(this.#timer)
    this.state = 'gone'
    const sent = [...this.running.values()]
      .filter((task) => !held.some((other) => other.task === task))
      .map((task) => ({ task, mayHaveStarted: this.#mayHaveStarted(task) }))
    this.#events.onGone(this, exit, [...held, ...sent])
  }
}

const noWorker: PoolWorker = { channel: { send() {} }, terminate() {} }

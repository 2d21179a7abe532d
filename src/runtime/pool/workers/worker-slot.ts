// One worker's life as the pool sees it, and the calls that it holds.
//
//   starting --> up --> ending --> gone
//       \_________\________________/^        (a worker may end by itself at any time)
//
// The slot knows which calls were sent and in which order; the pool decides what becomes of those that a dead worker held.

import { describe } from '../../../errors/errors.js'
import {
  checkMessage,
  checkReply,
  LAST_WHOLE_REPLY,
  REPLY_DONE,
  REPLY_SIZE,
  REPLY_STARTED,
  REPLY_TIMED,
  REPLY_UNREADABLE,
  REPLY_WAITING,
  type CreditMessage,
  type FromWorker,
  type ReplyBatch,
} from '../../wire/messages.js'
import { Malformed } from '../../wire/codec/input.js'
import { readReply } from '../../wire/read-reply.js'
import { receiveThrown } from '../../wire/thrown.js'
import { checkEach, inputsDone, replyPartOf, receivePart } from './answers.js'
import { AnsweredContexts, WorkerForks } from './fork-calls.js'
import { callsIn, noteBusy, noteStart, place, type Call } from '../calls/call.js'
import { outsideError } from './worker.js'
import type { Channel, HeldCall, PoolWorker, StartFailure, StartWorker, WorkerExit } from './worker.js'
import { Retirement } from './retirement.js'
import { tryStart } from './start-worker.js'
import type { SlotEvents, SlotOptions } from './slot-events.js'
import { CallOutbox, sendCancel } from './call-outbox.js'
import { SlotLoad } from './slot-load.js'
import { LOOK_AHEAD_US, type TaskCost } from '../calls/task-cost.js'
import { WorkerView } from './worker-view.js'
import { WorkerPatience } from './patience.js'
import { BegunCalls, lostWith } from './begun-calls.js'
import { LifeSigns, NEIGHBOUR_LOOKS } from './life-signs.js'

export class WorkerSlot {
  /** Its place in its group, from 0. A worker that replaces another one takes over its lane. */
  readonly lane: number
  state: 'starting' | 'up' | 'ending' | 'gone' = 'starting'
  wasUp = false
  /** Calls that it has answered. */
  answered = 0
  /** Calls that it was given by message. */
  #given = 0
  /** Another worker is to replace it, as it has run enough calls or takes too much memory. Until then it works on. */
  needsRecycle = false
  /** It ends because the pool wants it to, not by itself. */
  isEndedByPool = false
  /** Why it never came up, if the module said so or the time ran out; otherwise its exit tells. */
  startFailure: StartFailure | undefined
  /** Calls that this worker holds, in order; cancelled ones until it has answered. From the shared queue: that it told of. */
  readonly running = new Map<number, Call>()
  readonly load = new SlotLoad()
  /** For those who look at it from outside. */
  readonly view: WorkerView
  /** They are negative: those of the shared queue are not. */
  #lastId = 0
  readonly #unsent = new CallOutbox()
  #forks: WorkerForks | undefined
  readonly #contexts = new AnsweredContexts()
  readonly #retirement: Retirement
  readonly #worker: PoolWorker
  readonly #events: SlotEvents<WorkerSlot>
  readonly #options: SlotOptions
  readonly #patience = new WorkerPatience()
  readonly life: LifeSigns
  readonly #begun: BegunCalls
  /** Its module has a teardown(): known when it has come up. */
  tearsDown = false
  /** Because of what it ends, as it has said. */
  #outside: WorkerExit | undefined
  /** Why nothing more is taken from it. */
  #brokenBy: WorkerExit | undefined

  constructor(
    { id, lane }: { readonly id: number; readonly lane: number },
    startWorker: StartWorker,
    events: SlotEvents<WorkerSlot>,
    options: SlotOptions,
  ) {
    this.lane = lane
    const numbers = { id, slot: lane + 1 + (options.lanesBefore ?? 0) }
    this.#events = events
    this.#options = options
    this.#worker = tryStart(numbers, startWorker, {
      onMessage: (message) => this.#receive(message),
      onHello: () => this.#waitForStart(),
      onForeign: (message) => options.observer?.onMessage(this.view.identity, message),
      onReply: this.#onSharedReply,
      holdsCalls: () => this.running.size > 0,
      onEnding: () => {
        if (this.state !== 'gone') this.state = 'ending'
      },
      onExit: (exit, held = []) => this.#onExit(exit, held),
      onBroken: (error) => this.#onBroken(error),
      onFailed: (error) => (this.startFailure = { error }),
    })
    this.view = new WorkerView(this.#worker, numbers)
    this.life = new LifeSigns(this.#worker.channel)
    this.#begun = new BegunCalls(this.#worker.channel)
    this.#retirement = new Retirement(this, options, this.#worker.onQueuedReply !== undefined)
    const failLate = (lateMs: number) => this.#failStart({ lateMs })
    if (this.#worker.saysHello) this.#patience.waitForHello(options.startTimeout, this.#isStarting, failLate)
    else this.#waitForStart()
  }

  #waitForStart(): void {
    const lateMs = this.#options.startTimeout
    this.#patience.waitForStart(lateMs, this.#isStarting, () => this.#failStart({ lateMs }))
  }

  /** It holds calls that were sent to it and do not wait. */
  get isBusy(): boolean {
    return this.load.busy > 0
  }

  /** It was there for one call, and has had it. Forks may still come. */
  get isUsedUp(): boolean {
    return this.#options.maxTasks === 1 && this.#given > 0
  }

  /** It has answered, or waits on, everything that was sent. */
  get isIdle(): boolean {
    return this.load.busy === this.#unsent.size
  }

  get hasUnsent(): boolean {
    return this.#unsent.size > 0
  }

  get channel(): Channel {
    return this.#worker.channel
  }

  /** It takes no more calls, and ends when it has done those that it has. */
  get isLeaving(): boolean {
    return this.#retirement.isLeaving
  }

  /** It can start a call as soon as it is up and has done what it was given. */
  get hasPlace(): boolean {
    if (this.state === 'ending' || this.state === 'gone' || this.isLeaving) return false
    return this.load.waiting - this.load.away < this.#mostWaiting
  }

  get #mostWaiting(): number {
    const { tasksPerWorker, waitingPerWorker = tasksPerWorker } = this.#options
    return Math.min(tasksPerWorker, waitingPerWorker)
  }

  /** `isFork`: the calls that it holds may wait for this one. */
  hasRoomFor(cost: TaskCost, isFork = false): boolean {
    if (this.state !== 'up' || this.isLeaving || this.#retirement.isInGrace) return false
    const { tasksPerWorker } = this.#options
    if (isFork) return this.load.hasRoomForFork(cost, tasksPerWorker)
    if (this.isUsedUp || this.load.waiting - this.load.away >= this.#mostWaiting) return false
    if (this.#options.isolates && this.#events.isHeldBack(this)) return false
    return this.running.size - this.load.abandoned < tasksPerWorker && this.load.hasRoomFor(cost)
  }

  /** Takes a call; it leaves with the next flush(). */
  give(call: Call, cost: TaskCost): void {
    call.id = --this.#lastId
    this.#given += callsIn(call)
    this.running.set(call.id, call)
    this.load.charge(place(call, this, cost).chargedUs, call.options.isFork)
    this.#unsent.push(call)
  }

  /** Sends what was given. */
  flush(): void {
    if (!this.hasUnsent || this.state !== 'up') return
    if (this.isIdle) this.load.noteActivity()
    this.#unsent.flush(this.channel, {
      begun: this.#begun,
      onUnsendable: (call, error) => {
        this.#takeBack(call)
        this.#events.onUnsendable(call, error)
      },
    })
    if (this.#options.isolates && this.isUsedUp) this.#events.onWorn(this)
  }

  /** Tells the worker that nobody waits for this call any more, and ends the worker if the call then blocks it. */
  cancel(call: Call, reason: unknown): void {
    if (this.#unsent.remove(call)) return this.#takeBack(call)
    if (this.state !== 'up') return
    sendCancel(this.channel, call.id, reason)
    if (call.options.listener?.isStream) this.channel.send({ type: 'stop', id: call.id })
    if (call.placement?.hasStarted) this.#startGrace(call)
  }

  /** Somebody waits for a call that has begun there and has not returned, or may have: what keeps it is no fault. */
  get computes(): boolean {
    const own = this.view.currentCall
    if (own && !own.isSettled && !own.placement?.isWaiting) return true
    for (const call of this.running.values())
      if (!call.isSettled && !call.placement!.isWaiting && !this.#begun.hasNotBegun(call)) return true
    return false
  }

  /** A call that it was sent has not begun, or it has not said that it takes no more calls. */
  get owes(): boolean {
    if (this.#retirement.isAwaited) return true
    for (const call of this.running.values()) if (this.#begun.hasNotBegun(call)) return true
    return false
  }

  /** Somebody waits for a call whose promise is open there: it may compute for that. */
  get #servesNeighbours(): boolean {
    for (const call of this.running.values()) if (!call.isSettled && call.placement!.isWaiting) return true
    return false
  }

  /** All that it holds waits for what comes from outside, and nobody has given any of it up. */
  get waits(): boolean {
    if (this.running.size === 0) return false
    for (const call of this.running.values()) if (call.isSettled || !call.placement!.isWaiting) return false
    return true
  }

  /** It was asked for a sign of life, and gives none. */
  onSilence(): void {
    if (this.state !== 'up' || !this.life.isAsked || this.computes) return
    const { silentMs, looks } = this.life
    if (this.#servesNeighbours && looks < NEIGHBOUR_LOOKS) {
      if (this.isLeaving) return
      this.retire()
    } else {
      const how = `because it gave no sign of life for ${Math.round(silentMs)} ms`
      this.#outside = { how, isSilent: true }
      this.terminate()
    }
    this.#events.onSpent()
  }

  /** The caller of a stream can take more items. */
  grant(message: CreditMessage): void {
    if (this.state === 'up') this.channel.send(message)
  }

  /** Asks a stream to end, though its caller still waits for that. False: it was not even sent. */
  stop(call: Call): boolean {
    if (this.#unsent.remove(call)) {
      this.#takeBack(call)
      return false
    }
    if (this.state === 'up') this.channel.send({ type: 'stop', id: call.id })
    if (call.placement?.hasStarted) this.#startGrace(call)
    return true
  }

  readonly #isStarting = (): boolean => this.state === 'starting'

  /** Asks an idle worker to end by itself, so that its exit handlers run and its output is flushed. */
  close(): void {
    if (this.state === 'ending' || this.state === 'gone') return
    this.isEndedByPool = true
    if (this.#isStarting()) return this.#patience.waitForSetup(this.#isStarting, () => this.terminate())
    this.state = 'ending'
    this.channel.send({ type: 'close' })
    const end = (exit?: WorkerExit) => {
      this.#outside = exit ?? this.#outside
      this.#worker.terminate()
    }
    const isEnding = () => this.state === 'ending'
    if (this.tearsDown) this.#patience.waitForTeardown(this.#options.teardownTimeout, isEnding, end)
    else this.#patience.waitForEnd(isEnding, end)
  }

  /** Lets it do what it has, and then end. */
  readonly retire = (): void => this.#retirement.retire()

  /** Takes that back, if the worker does not know yet. */
  readonly unretire = (): boolean => this.#retirement.unretire()

  /** Ends the worker whatever it is doing. */
  terminate(): void {
    if (this.state === 'gone') return
    this.state = 'ending'
    this.isEndedByPool = true
    this.#patience.stop()
    this.#worker.terminate()
    this.#worker.takeBack?.(this, this.#unsent, this.#events)
  }

  #receive(message: FromWorker): void {
    if (this.#brokenBy) return
    this.#patience.noteMessage()
    try {
      checkMessage(message)
      this.#onMessage(message)
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      this.#onBroken(error)
    }
  }

  #onMessage(message: FromWorker): void {
    if (Array.isArray(message)) {
      this.#onReplies(message)
    } else if (message.type === 'start-failed') {
      this.#failStart({ error: receiveThrown(message.error) })
    } else if (message.type === 'pong') {
      this.life.onPong()
    } else if (message.type === 'retired') {
      this.#retirement.onRetired()
    } else if (message.type === 'recycle') {
      this.#events.onWorn(this)
    } else if (message.type === 'output') {
      this.#worker.print?.(message)
    } else if (message.type === 'uncaught') {
      this.#outside = outsideError(receiveThrown(message.error))
    } else if (message.type === 'report') {
      this.view.reports.onReport(message)
    } else if (message.type === 'forks' || message.type === 'fork-cancel') {
      const { host } = this.#options
      this.#forks ??= new WorkerForks(this, {
        submit: this.#events.submitFork,
        forTask: this.#events.forTask,
        host,
        contexts: this.#contexts,
      })
      this.#forks.onMessage(message)
    } else if (message.type === 'sets-up') {
      this.#patience.noteSetup()
    } else if (this.state === 'starting') {
      this.#patience.stop()
      this.state = 'up'
      this.wasUp = true
      this.tearsDown = message.type === 'ready' && message.tearsDown
      this.#worker.onUp?.()
      if (this.isEndedByPool) this.close()
      else this.#retirement.onUp()
      this.#events.onUp(this)
    }
  }

  #failStart(failure: StartFailure): void {
    this.startFailure = failure
    this.terminate()
  }

  #countAnswer(call: Call): void {
    if (this.#options.host !== undefined) this.#contexts.keep(call)
    const before = this.answered
    this.answered += callsIn(call)
    if (before < this.#options.maxTasks && this.answered >= this.#options.maxTasks) this.#events.onWorn(this)
  }

  #onReplies(replies: ReplyBatch): void {
    for (let i = 0; i < replies.length; i += REPLY_SIZE) {
      checkReply(replies, i)
      const kind = replies[i] as number
      const id = replies[i + 1] as number
      const call = this.running.get(id) // of one from the shared queue the ring has told before; any other is another worker's
      this.#begun.noteReply(id)
      if (!call) continue
      if (!call.placement!.isSent) this.#worker.onQueuedReply!(id, kind, replies[i + 2])
      else if (kind === REPLY_STARTED) this.#onStarted(call)
      else if (kind > LAST_WHOLE_REPLY) receivePart(call, replyPartOf(replies, i), this)
      else this.#onAnswer(call, replies, i)
    }
    this.load.noteActivity()
    this.#events.onReplies()
  }

  #onAnswer(call: Call, replies: ReplyBatch, at: number): void {
    const { kind, value } = readReply(replies[at] as number, replies[at + 2], call.name)
    if (kind === REPLY_UNREADABLE && value instanceof Malformed) return this.#onBroken(value)
    checkEach(call, kind, value)
    const { isWaiting } = call.placement!
    // Where one that waits holds others back, no worker is given several of them ahead.
    const isAway = value === true && kind === REPLY_WAITING
    const holdsBack = kind === REPLY_WAITING && this.#mostWaiting === 1 && !isAway
    if (!isWaiting) noteBusy(call, kind, holdsBack ? LOOK_AHEAD_US : (replies[at + 3] as number))
    if (kind === REPLY_WAITING) return this.#suspend(call, isAway)
    this.#release(call)
    this.#countAnswer(call)
    this.#events.onReply(call, kind, value)
  }

  /** A reply to a call that this worker took from the shared queue. */
  readonly #onSharedReply = (call: Call, kind: number, value: unknown): void => {
    if (kind === REPLY_STARTED || kind === REPLY_WAITING) {
      this.running.set(call.id, call)
      if (!call.placement) place(call, this)
      return kind === REPLY_WAITING ? this.#suspend(call) : this.#onStarted(call)
    }
    if (kind === REPLY_TIMED) return noteStart(call, value as number, this.view.identity.id)
    if (kind === REPLY_DONE) return this.noteDone(call, value)
    checkEach(call, kind, value)
    if (call.placement) this.#release(call)
    this.#countAnswer(call)
    this.#events.onReply(call, kind, value)
  }

  #suspend(call: Call, isAway?: boolean): void {
    this.pause(call, isAway)
    this.#events.onWaiting(call)
  }

  /** It holds the thread no more, for the time being. */
  pause(call: Call, isAway?: boolean): void {
    this.load.suspend(call, isAway)
    this.#retirement.onWaiting(call)
  }

  /** What it sends is not what our code writes: the task has broken it. */
  readonly #onBroken = (error: unknown): void => {
    if (this.#brokenBy || this.state === 'gone') return
    this.#brokenBy = { how: `because what it sent cannot be read (${describe(error)})`, cause: error }
    this.state = 'ending'
    this.#patience.stop()
    this.#worker.terminate()
  }

  noteDone(call: Call, value: unknown): void {
    const inputs = inputsDone(call, value)
    this.answered += inputs
    this.#events.onDone(call, inputs)
  }

  #onStarted(call: Call): void {
    call.placement!.hasStarted = true
    if (!call.isSettled) return call.options.watch?.start()
    // It was cancelled while it was under way to a worker that we did not know.
    if (!call.placement!.isSent) sendCancel(this.channel, call.id, call.options.cancelReason)
    this.#startGrace(call)
  }

  #release(call: Call): void {
    this.load.release(call)
    this.running.delete(call.id)
    this.#retirement.onEnded(call)
  }

  /** It was not sent. */
  #takeBack(call: Call): void {
    this.#given -= callsIn(call)
    this.#release(call)
  }

  #startGrace(call: Call): void {
    this.#retirement.startGrace(call, this.#events)
  }

  #onExit(exit: WorkerExit, held: readonly HeldCall[]): void {
    this.#patience.stop()
    this.state = 'gone'
    this.view.reports.onEnd()
    this.#forks?.end()
    const { running, channel } = this
    const hasNotBegun = this.#outside?.isSilent ? (call: Call) => this.#begun.hasNotBegun(call) : undefined
    this.#events.onGone(
      this,
      this.#brokenBy ?? this.#outside ?? exit,
      lostWith({ running, channel, hasNotBegun }, held),
    )
  }
}

// The worker's side: takes calls from the queue, runs them, writes replies into its ring, and sleeps when nothing is left.
//
//   take --> run --> write reply --> take ...          every 5 ms, and while promises are open: a turn of the event loop
//     |
//     '--none--> wake main (wake-main.ts) --> sleep (worker-sleep.ts)

import type { MessagePort } from 'node:worker_threads'
import { machineMs, machineNow } from '../../wire/machine-clock.js'
import type { Carriage } from '../../wire/codec/packet.js'
import { REPLY_ERROR, REPLY_UNSENDABLE, REPLY_WAITING } from '../../wire/messages.js'
import { withoutFields } from '../../wire/thrown.js'
import { unsendableResult } from '../../worker/unsendable-result.js'
import { TASKS_PER_WORKER } from '../layout/queue-layout.js'
import { queueViews } from '../layout/queue-memory.js'
import { QueueConsumer, type TakenCall } from './queue-consumer.js'
import type { WorkerInit } from '../layout/worker-init.js'
import { FULL, ReplyWriter, UNFIT, type KeptReply } from '../layout/reply-ring.js'
import { MainWaker } from './wake-main.js'
import * as own from '../layout/worker-layout.js'
import { workerViews } from '../layout/worker-memory.js'
import { FairShare, YIELD_MS, YIELD_TO_FREE_MS } from './fair-share.js'
import { FUTEX_MS, WorkerSleep } from './worker-sleep.js'
import { nextTurn, startTimer } from '../../../primitives/timers.js'

export interface QueueHost {
  /** How many calls wait on promises. */
  readonly load: { readonly waiting: number }
  readonly port: MessagePort
  /** Runs one call; its replies come through `reply`, at once or later. */
  run(call: TakenCall): void
  /** Pieces of output that were sent as messages. */
  readonly output: { readonly sent: number }
  /** Sends a reply by message. */
  post(kind: number, id: number, value: unknown): void
  /** The same for one that is written already. */
  postCarried(kind: number, id: number, carriage: Carriage): void
  /** The next message that waits, without the event loop. */
  take(): unknown
  readonly bufferOf: (number: number) => SharedArrayBuffer
  /** Does not return where a task has broken what this thread needs. */
  checkBuiltIns(): void
  onMessage(message: unknown): void
}

/** Milliseconds without a turn of the event loop: a worker's timers and sockets wait for it. */
const TURN_AFTER_MS = 5
/** With promises open their continuations wait for it too. */
const TURN_AFTER_MS_WAITING = 0.1
/** Milliseconds up to which a call is short: the next one may run before main is woken for its result. */
const SHORT_MS = 0.3
/** Milliseconds from which on a call is so long that a slower wake-up for the next one does not matter: see worker-sleep.ts. */
const LONG_MS = 1
/** A prime: functions that alternate, in whatever pattern, are all timed now and then. */
const TIMED_EVERY = 61

export class QueueServer {
  /** A clock depends on the replies of the call that runs now. */
  isUrgent = false
  readonly #host: QueueHost
  readonly #load: { readonly waiting: number }
  readonly #consumer: QueueConsumer
  readonly #replies: ReplyWriter
  readonly #queue: Int32Array
  readonly #own: Int32Array
  readonly #sleep: WorkerSleep
  readonly #main: MainWaker
  readonly #share: FairShare
  /** Where the queue stood when this worker left its calls to others, until it looks again; undefined: it has not. */
  #leftAt: number | undefined
  /** Nobody has taken them. */
  #isOverdue = false
  readonly #names: string[] = []
  /** By function: see SHORT_AT of queue-layout.ts. */
  readonly #short: Int32Array
  /** By function: milliseconds of its last timed call. Of short calls one in TIMED_EVERY is timed. */
  readonly #callMs: number[] = []
  /** Of the function that was called last. */
  #lastMs = Infinity
  #untimed = 0
  #hasSince = false
  /** Replies for which the ring had no room. */
  #backlog: KeptReply[] = []
  #isTurnPlanned = false
  #isRetired = false

  constructor(init: WorkerInit, host: QueueHost) {
    const views = workerViews(init.own)
    this.#host = host
    this.#load = host.load
    this.#own = views.control
    this.#replies = new ReplyWriter(views)
    const queue = queueViews(init.queue)
    this.#queue = queue.control
    this.#short = queue.short
    this.#share = new FairShare(queue, init.index)
    const setCurrent = (id: number) => void Atomics.store(this.#own, own.CURRENT, id)
    this.#consumer = new QueueConsumer(queue, init.index, { setCurrent, bufferOf: host.bufferOf })
    this.#main = new MainWaker(queue.control, host.port, this.#replies, init.workers)
    const hasWork = () => this.#hasWork()
    this.#sleep = new WorkerSleep({ queue: this.#queue, own: this.#own, index: init.index, hasWork })
  }

  /** Calls that may wait on promises at a time: it follows the size of the pool. */
  get tasksPerWorker(): number {
    return Atomics.load(this.#queue, TASKS_PER_WORKER)
  }

  /** Milliseconds in which this thread slept without a turn of the event loop. */
  get sleptMs(): number {
    return this.#sleep.sleptMs
  }

  /**
   * To be called before the pool learns by message that this worker is free: that it is up, or what its calls gave. Otherwise the pool might
   * make calls of which another worker takes, for its share, what this one would find.
   */
  tellLoad(): void {
    if (this.#isOccupied()) this.#share.tellBusy()
    else this.#share.tell(this.#load.waiting)
  }

  /** To be called whenever there may be work: after a message, and at the start. */
  serve = (): void => {
    if (this.#isTurnPlanned) return
    this.#sleep.preferLoop()
    Atomics.store(this.#own, own.STATE, own.AWAKE)
    this.#serve()
  }

  /** Calls that came by message are about to run. */
  onBatch(): void {
    Atomics.store(this.#own, own.STATE, own.AWAKE) // whoever wakes a sleeper for a call from the queue must not take this one
    this.#share.tellBusy()
    if (this.#main.isBehind) this.#main.wake() // nobody knows how long these calls take
    this.#nameNoCall()
  }

  /** A reply to the call that runs now. */
  readonly reply = (kind: number, id: number, value: unknown): void => {
    if (kind <= REPLY_ERROR && this.#share.isBusy) this.tellLoad() // before main can see the result
    if (kind <= REPLY_ERROR && this.#isOutputOnItsWay()) {
      this.reply(REPLY_WAITING, id, undefined) // see #replyByMessage
      return this.#host.post(kind, id, value)
    }
    const result = this.#write(kind, id, value)
    if (result === UNFIT) return this.#replyByMessage(kind, id)
    // Waits for room: after a crash the pool asks for the call that runs, and for those that are known to wait.
    if (result === FULL) for (const kept = this.#takeKept(); !this.#writeKept(kept);) this.#waitForRoom()
    if (!this.isUrgent) this.#main.wakeLater(this.#workLeftMs)
    else this.#main.wake()
  }

  /** News of the call that runs now, for which nobody is woken; lost when there is no room. */
  note(kind: number, id: number, value: number): void {
    this.#replies.write(kind, id, value)
  }

  /**
   * A reply to the call that runs now, by message. The message may get lost together with this worker, when the pool cannot
   * read it: the pool must know by then that the call is here.
   */
  #replyByMessage(kind: number, id: number): void {
    const carriage = this.#takeCarriage()
    this.reply(REPLY_WAITING, id, undefined)
    this.#host.postCarried(kind, id, carriage)
  }

  /** The ring would pass it: main reads that before messages. */
  #isOutputOnItsWay(): boolean {
    const { sent } = this.#host.output
    return sent !== 0 && Atomics.load(this.#own, own.PRINTED) !== (sent | 0)
  }

  /** What was written and did not fit into the ring. */
  #takeCarriage(): Carriage {
    const { carriage } = this.#replies
    this.#replies.carriage = undefined
    return carriage!
  }

  /** A reply to a call that waited on a promise. Main is woken in afterTurn(). */
  readonly replyLate = (kind: number, id: number, value: unknown): void => {
    this.tellLoad() // before main can see the result
    if (kind <= REPLY_ERROR && this.#isOutputOnItsWay()) return this.#host.post(kind, id, value)
    const result = this.#write(kind, id, value)
    if (result === UNFIT) this.#host.postCarried(kind, id, this.#takeCarriage())
    if (result === FULL) this.#backlog.push(this.#takeKept())
  }

  /** All messages are about to be read: only what comes after this calls for another look. */
  onReading(): void {
    Atomics.store(this.#own, own.DOORBELL, 0)
  }

  /** Messages were found that the event loop has not brought. */
  onMessageWaiting(): void {
    Atomics.store(this.#own, own.DOORBELL, 1)
  }

  /** Takes no more calls: those that wait on promises are all that is left for this worker. */
  retire(): void {
    this.#isRetired = true
    this.tellLoad()
  }

  /** After the worker was not in `serve`, as when promises have settled: there may be room for calls again. */
  afterTurn(): void {
    this.#flushBacklog()
    this.tellLoad() // first: main may make further calls at once
    this.#main.wake()
    if (this.#isTurnPlanned) return
    if (!this.#isOccupied()) this.#sleep.takeAgain()
    if (this.#hasWork()) this.serve()
  }

  #serve = (): void => {
    this.#isTurnPlanned = false
    this.#flushBacklog()
    this.tellLoad()
    const started = machineNow()
    let calls = 0
    for (;;) {
      if (this.#readMessage()) {
        if (this.#isTurnDue(started)) return this.#turn()
        continue
      }
      if (this.#mayTake() && this.#runNext()) {
        const isDue = (++calls % 16 === 0 || this.#lastMs >= SHORT_MS) && this.#isTurnDue(started)
        if (isDue) return this.#turn()
        continue
      }
      this.tellLoad()
      this.#main.wake()
      if (!this.#rest()) return
      this.#flushBacklog()
    }
  }

  #runNext(): boolean {
    if (!this.#consumer.take()) return false
    this.#sleep.preferSpinning()
    const { call } = this.#consumer
    const { functionIndex, isAnnounced } = call
    call.name = this.#names[functionIndex] ??= this.#consumer.nameOf(functionIndex)
    const lastMs = this.#callMs[functionIndex] ?? Infinity
    const isShort = lastMs < SHORT_MS
    this.#lastMs = lastMs
    if (this.#main.isBehind && !isShort) this.#main.wake() // what lies in the ring must not wait for this call
    this.#isOverdue = false
    this.isUrgent = isAnnounced || !isShort
    if (!isShort) this.#share.tellBusy()
    if (!isShort || this.#hasSince) this.#noteStart(!isShort)
    const isTimed = !isShort || ++this.#untimed % TIMED_EVERY === 0
    const started = isTimed ? machineNow() : 0
    const { waiting } = this.#load
    this.#host.run(call)
    const hasPromise = this.#load.waiting > waiting
    if (hasPromise) this.#noteShort(functionIndex, 0)
    if (hasPromise || !isShort) this.tellLoad()
    if (!isTimed) return true
    const ms = machineNow() - started
    this.#callMs[functionIndex] = ms
    if (!hasPromise) this.#noteShort(functionIndex, ms < SHORT_MS ? 1 : 0)
    if (ms >= LONG_MS) this.#sleep.preferLoop()
    return true
  }

  #noteShort(functionIndex: number, isShort: 0 | 1): void {
    if (this.#short[functionIndex] !== isShort) Atomics.store(this.#short, functionIndex, isShort)
  }

  /** Main sends calls by message rather to others than behind a long one, and wakes others for those in the queue. */
  #noteStart(mayBeLong: boolean): void {
    this.#hasSince = mayBeLong
    Atomics.store(this.#own, own.SINCE, mayBeLong ? machineMs() || 1 : 0)
    if (mayBeLong && this.#consumer.hasCalls) this.#main.handOver()
  }

  /** An old number would name another call one day, for which this worker would answer when it dies. */
  #nameNoCall(): void {
    Atomics.store(this.#own, own.CURRENT, -1)
  }

  /** True: look again. False: this thread goes to its event loop, and is woken there. */
  #rest(): boolean {
    this.#host.checkBuiltIns() // while the last call is named, which it may concern
    this.#nameNoCall()
    if (this.#hasSince) this.#noteStart(false)
    const mayBlock = this.#load.waiting === 0 && this.#backlog.length === 0
    if (!this.#isOccupied()) {
      if (this.#sleep.rest(mayBlock, own.IN_LOOP)) return true
      if (!mayBlock && this.#consumer.hasCalls) this.#leaveToOthers()
      return false
    }
    if (this.#sleep.rest(mayBlock, own.OCCUPIED)) return true
    if (this.#consumer.hasCalls) this.#main.handOver()
    return false
  }

  /** It has its share of the calls that wait on promises, and looks again soon. */
  #leaveToOthers(): void {
    this.#main.handOver()
    if (this.#leftAt !== undefined) return
    this.#leftAt = this.#consumer.head
    const until = machineNow() + YIELD_TO_FREE_MS
    const look = () => {
      const isUntouched = this.#consumer.head === this.#leftAt
      if (isUntouched && this.#share.isAnyFree && machineNow() < until) return void lookLater()
      this.#leftAt = undefined
      this.#isOverdue = isUntouched
      if (this.#hasWork()) return this.serve()
      this.#isOverdue = false
      // Others have taken some, and may keep their threads since.
      if (!this.#isOccupied() && this.#consumer.hasCalls) this.#leaveToOthers()
    }
    const lookLater = () => startTimer(YIELD_MS, look)?.unref()
    lookLater()
  }

  /** Once this worker has taken its next call, if all are like the last one: it does not ask again before that call ends. */
  readonly #workLeftMs = (): number => (this.#consumer.waiting - 1) * this.#lastMs

  #mayTake(): boolean {
    return !this.#isOccupied() && Atomics.load(this.#own, own.TO_REST) === 0 && this.#isWithinShare()
  }

  #isWithinShare(): boolean {
    const { waiting } = this.#load
    return waiting === 0 || this.#isOverdue || this.#share.mayTake(waiting, this.#consumer.waiting)
  }

  /** Whatever waits, this worker can take no call. */
  #isOccupied(): boolean {
    return this.#isRetired || this.#load.waiting >= this.tasksPerWorker || this.#backlog.length > 0
  }

  #isTurnDue(started: number): boolean {
    return machineNow() - started > (this.#load.waiting > 0 ? TURN_AFTER_MS_WAITING : TURN_AFTER_MS)
  }

  #turn(): void {
    this.#host.checkBuiltIns()
    this.#nameNoCall() // a timer may end this worker
    this.#isTurnPlanned = true
    nextTurn(this.#serve)
  }

  /** In place of a result that cannot travel the caller learns why; of an error that cannot, what is left without its fields. */
  #write(kind: number, id: number, value: unknown): number {
    try {
      return this.#replies.write(kind, id, value)
    } catch (error) {
      if (kind === REPLY_ERROR) return this.#replies.write(kind, id, withoutFields(value))
      return this.#replies.write(REPLY_UNSENDABLE, id, unsendableResult(value, error))
    }
  }

  /** False: main will wake this worker once there is room. */
  #writeKept(kept: KeptReply): boolean {
    if (this.#replies.writeKept(kept)) return true
    Atomics.store(this.#own, own.WANTS_ROOM, 1)
    return this.#replies.writeKept(kept) // main may have made room before it could see that we want it
  }

  #takeKept(): KeptReply {
    const { kept } = this.#replies
    this.#replies.kept = undefined
    return kept!
  }

  #waitForRoom(): void {
    this.#main.wake()
    Atomics.store(this.#own, own.STATE, own.IN_FUTEX)
    if (Atomics.load(this.#own, own.WANTS_ROOM) === 1)
      Atomics.wait(this.#own, own.STATE, own.IN_FUTEX, FUTEX_MS)
    Atomics.store(this.#own, own.STATE, own.AWAKE)
  }

  #flushBacklog(): void {
    const backlog = this.#backlog
    let done = 0
    while (done < backlog.length && this.#writeKept(backlog[done]!)) done++
    if (done > 0) this.#backlog = backlog.slice(done)
  }

  /** One that came while this thread was not in its event loop. */
  #readMessage(): boolean {
    if (Atomics.load(this.#own, own.DOORBELL) === 0) return false
    Atomics.store(this.#own, own.DOORBELL, 0)
    const message = this.#host.take()
    if (message === undefined) return false
    this.onMessageWaiting() // another one may
    this.#host.onMessage(message)
    this.#sleep.preferLoop()
    return true
  }

  #hasWork(): boolean {
    if (Atomics.load(this.#own, own.DOORBELL) !== 0) return true
    if (this.#backlog.length > 0 && Atomics.load(this.#own, own.WANTS_ROOM) === 0) return true // main has made room
    return this.#mayTake() && this.#consumer.hasCalls
  }
}

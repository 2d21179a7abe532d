// The worker's side: takes batches of calls, runs them, answers in batches.
//
//   batch in --> call --> value -----------------------> replies --> batch out (every 0.25 ms, and after the last call)
//                     \-> promise: WAITING ... value later --> replies --> batch out (next turn of the event loop)
//
// Calls of one batch start in order, each when the one before it has returned; promises overlap freely.

import type { FindTask } from '../task/load-task.js'
import { enterLater } from '../task/async-scope.js'
import {
  AbortableContext,
  registry,
  type ForkCalls,
  type TaskContext,
  type WorkerPlace,
} from '../task/task-context.js'
import { isPromise, type TaskFunction } from '../task/task-function.js'
import { stopping, type Stop } from '../task/stop.js'
import { hasExtras, runWithExtras } from './call-extras.js'
import { machineNow } from '../wire/machine-clock.js'
import { createForkClient, type ForkClient } from './fork-client.js'
import {
  ANNOUNCE_START,
  AT_ONCE,
  CALL_SIZE,
  EACH_INPUT,
  ONE_ARGUMENT,
  REPLY_DONE,
  REPLY_ERROR,
  REPLY_RESULT,
  REPLY_AWAY,
  REPLY_BACK,
  REPLY_STARTED,
  REPLY_TIMED,
  REPLY_WAITING,
  REPLY_PROGRESS,
  SAME_NAME,
  TIMED,
  WANTS_ITEMS,
  WANTS_PROGRESS,
  WITH_CONTEXT,
  type CallBatch,
  type CancelMessage,
  type ControlMessage,
  type ForkCancelMessage,
  type ForkRepliesMessage,
  type ForksMessage,
  type PongMessage,
} from '../wire/messages.js'
import { EachFailure, runEach } from './run-each.js'
import { createReplyOutbox, type ReplyOutbox, type Replies, type WorkerPort } from './reply-outbox.js'
import { asThrown, receiveThrown } from '../wire/thrown.js'
import { receiveArguments } from './receive-arguments.js'
import { Turns } from './turns.js'
import { createStreamServer, progressReporter, type StreamServer } from './serve-stream.js'

export interface TaskServerPort extends WorkerPort {
  /** Sends what is no reply. */
  send(message: ForksMessage | ForkCancelMessage | PongMessage, transfer?: readonly object[]): void
  /** Told before each call starts, so that the pool knows after a crash which calls had started. False: the pool ends this worker; it must not. */
  callStarts?(): boolean
  /** The replies of all that came in one message are about to be sent. */
  beforeReplies?(): void
  /** Looks for cancellations while the event loop stands still, where that is possible. */
  readonly poll?: (() => void) | undefined
  /** Calls that may wait on promises at a time, where this worker also takes calls that the pool does not know of. */
  readonly tasksPerWorker?: (() => number) | undefined
  /** One call at a time goes on, as nothing follows a call across its awaits. */
  readonly takesTurns?: boolean
  /** Promises of a call for many inputs that may be open at a time. */
  readonly sideBySide: number
  /** Told of each call, where somebody watches what they do to the worker. */
  readonly onCall?: (() => void) | undefined
  readonly place: WorkerPlace
}

/** Milliseconds after which finished replies leave even though the batch is not done: the pool refills meanwhile. */
const FLUSH_AFTER_MS = 0.25

/** One call, or one for each of several inputs. It is read at once: the caller may use the object again. */
export interface ServerCall {
  readonly id: number
  readonly name: string
  readonly args: readonly unknown[]
  readonly isEach: boolean
  /** Of such ones: microseconds that it took to read them. */
  readonly readUs?: number
  /** WITH_CONTEXT, or 0. */
  readonly extras: number
  /** Why its arguments cannot be read; undefined: they were. */
  readonly problem?: { readonly error: unknown } | undefined
  /** Absent where the caller wants nothing but the result. */
  readonly flags?: number
}

interface TellingCall {
  readonly id: number
  readonly name: string
  readonly args: readonly unknown[]
  readonly flags: number
}

/** A batch from this entry on. */
interface BatchRest {
  readonly batch: CallBatch
  readonly at: number
}

interface OpenCall {
  readonly context: AbortableContext | undefined
  readonly replies: Replies
}

export class TaskServer {
  readonly #findTask: FindTask
  readonly #port: TaskServerPort
  readonly #turns: Turns | undefined
  /** Made when the first reply goes by message. */
  #madeOutbox: ReplyOutbox | undefined
  /** Made when the first stream is asked for. */
  #streams: StreamServer | undefined
  /** The same for the first fork. */
  #forks: ForkClient | undefined
  readonly #forkCalls: ForkCalls = {
    call: (name, args, parent) => this.#forkClient().call(name, args, parent),
    callHost: (name, args, parent) => this.#forkClient().callHost(name, args, parent),
  }
  /** Calls whose promises are open. */
  readonly #open = new Map<number, AbortableContext | undefined>()
  readonly #abandoned = new Set<number>()
  /** Calls that came by message and wait until others have settled: batches, and where they go on. */
  readonly #held: BatchRest[] = []
  /** The call whose function has been called and has not returned. */
  #running: { readonly id: number; readonly context: AbortableContext } | undefined
  /** Of the calls that came by message, the one that has started last; their ids fall. */
  #lastId = 0
  /** Calls that were cancelled before they started. */
  readonly #cancelled = new Set<number>()
  /** The call whose function was called last. */
  #begunId = 0
  /** Of calls for many inputs that are open. */
  readonly #stops = new Map<number, Stop>()
  readonly #stopOfBegun = (): Stop => {
    const { poll: look, sideBySide } = this.#port
    const stop: Stop = { isStopped: false, look, sideBySide }
    this.#stops.set(this.#begunId, stop)
    return stop
  }

  constructor(findTask: FindTask, port: TaskServerPort) {
    this.#findTask = findTask
    this.#port = port
    if (!port.takesTurns) return
    this.#turns = new Turns({
      defer: (callback) => port.defer(callback),
      tell: (id, isAway) => {
        this.#outbox.push(isAway ? REPLY_AWAY : REPLY_BACK, id, undefined)
        this.#outbox.flushLater()
      },
      onFree: () => this.#runHeld(),
    })
  }

  /** Calls that wait on promises, without those that were abandoned. */
  get waiting(): number {
    return this.#open.size - this.#abandoned.size
  }

  /** The call that goes on after an await, if there can be only one. */
  get onlyWaiting(): TaskContext | undefined {
    if (this.#turns) return this.#turns.current
    return this.#open.size === 1 ? [...this.#open.values()][0] : undefined
  }

  runBatch(batch: CallBatch): void {
    const rest = this.#runUpTo({ batch, at: 0 }, () => this.#held.length > 0 || this.#isFull)
    if (rest) this.#held.push(rest)
  }

  /** Runs its calls up to one that must wait. Gives what is left from there on. */
  #runUpTo({ batch, at }: BatchRest, mustWait: () => boolean): BatchRest | undefined {
    const outbox = this.#outbox
    let before = machineNow()
    let flushed = before
    let wasAnnounced = false
    let name = ''
    let i = at
    for (; i < batch.length; i += CALL_SIZE) {
      const id = batch[i] as number
      const flags = batch[i + 3] as number
      const isAtOnce = (flags & AT_ONCE) !== 0
      if (!isAtOnce && mustWait()) break
      if (!isAtOnce && this.#port.callStarts?.() === false) return undefined // others run these, and what follows
      const isAnnounced = (flags & ANNOUNCE_START) !== 0
      if (batch[i + 1] !== SAME_NAME) name = batch[i + 1] as string
      else if (i === at) name = nameAt(batch, i)
      const isEach = (flags & EACH_INPUT) !== 0
      if ((isAnnounced || isEach) && this.#isCancelled(id, isAtOnce)) continue
      if (flags & TIMED) outbox.push(REPLY_TIMED, id, machineNow())
      if (isAnnounced) outbox.push(REPLY_STARTED, id, undefined)
      // The clock of an announced call runs: its end must not wait for the next call any more than its start. Where calls are not counted
      // in shared memory such a call comes alone, and the first of several is announced as a sign of life: they answer in one message.
      if (isAnnounced || wasAnnounced) outbox.flush()
      wasAnnounced = isAnnounced && this.#port.callStarts !== undefined
      const since = isEach ? machineNow() : 0 // to say that it starts takes longer than to read it
      const received = receiveArguments(batch[i + 2], { name, isOne: (flags & ONE_ARGUMENT) !== 0 })
      const extras = flags & WITH_CONTEXT
      const readUs = isEach ? (machineNow() - since) * 1000 : 0
      this.start({ id, name, ...received, isEach, readUs, extras, flags }, outbox)
      const after = machineNow()
      outbox.setBusyTime((after - before) * 1000)
      before = after
      if (after - flushed > FLUSH_AFTER_MS) {
        if (i + CALL_SIZE >= batch.length) this.#port.beforeReplies?.() // of the last call: this worker may be free
        outbox.flush()
        flushed = after
      }
    }
    // Promises that are settled already answer in the microtasks that follow: one message for both.
    if (outbox.hasPromises) outbox.flushLater()
    else {
      this.#port.beforeReplies?.()
      outbox.flush()
    }
    return i < batch.length ? { batch, at: i } : undefined
  }

  get #isFull(): boolean {
    if (this.#turns) return this.#turns.isTaken
    return this.waiting >= (this.#port.tasksPerWorker?.() ?? Infinity)
  }

  /** A call waits no longer: there may be room for one that was held back. */
  #runHeldLater(): void {
    if (this.#held.length > 0) this.#port.defer(() => this.#runHeld())
  }

  #runHeld(): void {
    while (this.#held.length > 0 && !this.#isFull) {
      const rest = this.#runUpTo(this.#held[0]!, () => this.#isFull)
      if (rest) this.#held[0] = rest
      else this.#held.shift()
    }
  }

  /** Sends what is done already, before the worker ends. */
  flush(): void {
    this.#madeOutbox?.flush()
  }

  /** What the caller says of a call that is open. */
  control(message: ControlMessage | ForkRepliesMessage): void {
    if (message.type === 'ping') return this.#port.send({ type: 'pong' })
    if (message.type === 'fork-replies') return this.#forkClient().settle(message.replies)
    const { type, id } = message
    if (type === 'cancel') this.#cancel(message)
    else if (type === 'abandon') this.#abandon(id)
    else if (type === 'credit') this.#streamServer().grant(message)
    else {
      this.#open.get(id)?.abort(new DOMException('The caller takes no more items.', 'AbortError'))
      this.#streamServer().stop(id, id < this.#lastId && !this.#cancelled.has(id))
    }
  }

  get #outbox(): ReplyOutbox {
    return (this.#madeOutbox ??= createReplyOutbox(this.#port))
  }

  #forkClient(): ForkClient {
    return (this.#forks ??= createForkClient(this.#port, this.#turns))
  }

  #streamServer(): StreamServer {
    const port = { defer: (callback: () => void) => this.#port.defer(callback), turns: this.#turns }
    return (this.#streams ??= createStreamServer(this.#outbox, port))
  }

  #cancel({ id, reason }: CancelMessage): void {
    const stop = this.#stops.get(id)
    if (stop) stop.isStopped = true
    const running = this.#running
    const context = running?.id === id ? running.context : this.#open.get(id)
    if (context) context.abort(receiveThrown(reason))
    else if (!stop && id < this.#lastId) this.#cancelled.add(id)
  }

  /** Its caller has the rejection already: it must not start. The pool learns that its place is free. */
  #isCancelled(id: number, isAtOnce: boolean): boolean {
    this.#port.poll?.()
    // What starts at once may pass calls that came before it and are still to start.
    if (!isAtOnce) this.#pass(id)
    if (!this.#cancelled.delete(id)) return false
    this.#outbox.push(REPLY_RESULT, id, undefined)
    return true
  }

  /** Those before it have started. */
  #pass(id: number): void {
    this.#lastId = id
    if (this.#cancelled.size === 0) return
    for (const other of this.#cancelled) if (other > id) this.#cancelled.delete(other) // a fork that had ended by then
  }

  /** Nobody waits for it any more: it does not count as waiting. */
  #abandon(id: number): void {
    if (this.#open.has(id)) this.#abandoned.add(id)
    this.#turns?.abandon(id)
    this.#runHeldLater()
  }

  start(request: ServerCall, replies: Replies): void {
    this.#port.onCall?.()
    const { id, name, args, extras, problem } = request
    const context =
      registry.storage && new AbortableContext(this.#port.place, this.#forkCalls, id, this.#port.poll)
    if (context) this.#running = { id, context }
    this.#begunId = id
    stopping.current = this.#stopOfBegun
    let isOpen = false
    try {
      if (problem) throw problem.error
      const task = this.#findTask(name)
      const value: unknown = hasExtras(extras)
        ? this.#beginWithExtras(task, request, context)
        : this.#begin(task, request, args, context)
      if ((isOpen = isPromise(value))) this.#settleLater(request, value, { context, replies })
      else replies.push(REPLY_RESULT, id, value)
    } catch (thrown) {
      this.#reject(thrown, (kind, value) => replies.push(kind, id, value))
    } finally {
      this.#running = undefined
      if (!isOpen && this.#stops.size > 0) this.#stops.delete(id)
    }
    // Not in the microtasks, which come only when this thread has nothing else to do.
    if (this.#forks?.hasUnsent) this.#forks.flush()
  }

  /** By itself: a closure in the method that starts all calls would cost an allocation for each of them. */
  #beginWithExtras(task: TaskFunction, request: ServerCall, context: AbortableContext | undefined): unknown {
    return runWithExtras(request, (args) => this.#begin(task, request, args, context))
  }

  #begin(
    task: TaskFunction,
    { id, name, isEach, readUs, flags = 0 }: ServerCall,
    args: readonly unknown[],
    context: AbortableContext | undefined,
  ): unknown {
    if (isEach) return callEach(task, args, readUs, context)
    if ((flags & (WANTS_ITEMS | WANTS_PROGRESS)) === 0) return call(task, args, context)
    return this.#startTelling(task, { id, name, args, flags }, context)
  }

  /** A call whose caller wants items, or progress. */
  #startTelling(
    task: TaskFunction,
    { id, name, args, flags }: TellingCall,
    context: AbortableContext | undefined,
  ): unknown {
    const send = (value: unknown) => {
      const { carried, transfer } = this.#outbox.carry(value)
      this.#outbox.postNow([REPLY_PROGRESS, id, carried, 0], transfer)
    }
    if (context && flags & WANTS_PROGRESS) context.report = progressReporter(name, send)
    const inContexts = enterLater()
    const enter = <R>(code: () => R): R =>
      inContexts(() => (context ? registry.storage!.run(context, code) : code()))
    const run = () => task(...args) as unknown
    return flags & WANTS_ITEMS
      ? this.#streamServer().start({ id, name, flags, call: run, enter })
      : enter(run)
  }

  #settleLater(
    { id, flags = 0 }: ServerCall,
    promise: PromiseLike<unknown>,
    { context, replies }: OpenCall,
  ): void {
    this.#open.set(id, context)
    // Without a context the call knows no `task`, and need not be told from others.
    const isAway = this.#turns && (!context || this.#turns.begin(id, context, (flags & WANTS_PROGRESS) !== 0))
    replies.push(REPLY_WAITING, id, isAway || undefined)
    const push = (kind: number, value: unknown) => replies.pushLate(kind, id, value)
    const settle = (answer: () => void) => {
      this.#open.delete(id)
      this.#stops.delete(id)
      this.#abandoned.delete(id)
      if (this.#turns) this.#turns.end(id)
      else this.#runHeldLater()
      answer()
      replies.flushLater()
    }
    // Through a promise of ours: a thenable may call back twice, or throw after it has.
    Promise.resolve(promise).then(
      (value) => settle(() => push(REPLY_RESULT, value)),
      (thrown: unknown) => settle(() => this.#reject(thrown, push)),
    )
  }

  #reject(reason: unknown, push: (kind: number, value: unknown) => void): void {
    const isOfMany = EachFailure.is(reason)
    if (isOfMany) push(REPLY_DONE, reason.done)
    push(REPLY_ERROR, asThrown(isOfMany ? reason.thrown : reason))
  }
}

/** Of a call whose name is that of the one before it. */
function nameAt(batch: CallBatch, at: number): string {
  let i = at
  while (batch[i + 1] === SAME_NAME) i -= CALL_SIZE
  return batch[i + 1] as string
}

function call(task: TaskFunction, args: readonly unknown[], context?: TaskContext): unknown {
  if (context) return registry.storage!.run(context, () => task(...args) as unknown)
  return task(...args) as unknown
}

function callEach(
  task: TaskFunction,
  inputs: readonly unknown[],
  readUs?: number,
  context?: TaskContext,
): unknown {
  if (context) return registry.storage!.run(context, () => runEach(task, inputs, readUs))
  return runEach(task, inputs, readUs)
}

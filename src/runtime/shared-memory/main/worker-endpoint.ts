// The main thread's view of one worker's memory: reads its replies, and wakes it.

import { Malformed } from '../../wire/codec/input.js'
import {
  REPLY_DONE,
  REPLY_STARTED,
  REPLY_TIMED,
  REPLY_UNREADABLE,
  REPLY_WAITING,
  WAKE,
  type BufferUpdate,
} from '../../wire/messages.js'
import { readReply } from '../../wire/read-reply.js'
import { machineMs } from '../../wire/machine-clock.js'
import type { CallTable, QueuedCall } from './call-table.js'
import { ReplyReader } from '../layout/reply-ring.js'
import { STUCK_MS } from './waking.js'
import { LOADS } from '../layout/queue-layout.js'
import * as own from '../layout/worker-layout.js'
import { createWorkerMemory, workerViews } from '../layout/worker-memory.js'

export interface EndpointEvents<Call> {
  readonly onReply: (call: Call, kind: number, value: unknown) => void
  /** What it has sent cannot be read: it is broken. */
  readonly onBroken: (error: unknown) => void
  /** Calls that came by message, or that wait on promises. */
  holdsCalls(): boolean
  post(message: BufferUpdate | typeof WAKE): void
}

/** Its number among the workers that there are, and the words in which each says how many calls wait in it. */
interface EndpointPlace {
  readonly index: number
  readonly loads: Int32Array
}

/** Messages about buffers. */
const MAX_UNREAD = 16
/** No number of a call. */
const NONE_SEEN = -2

export class WorkerEndpoint<Call extends QueuedCall> {
  readonly index: number
  readonly memory = createWorkerMemory()
  /** It was told to take no more calls: whoever wakes it for one wakes nobody. */
  isRetired = false
  /** What it has written could not be read: some of its calls may have no other trace. */
  isBroken = false
  #isUp = false
  /** What it was at when main last looked whether it gets on, and since when that was so. */
  #seenId = NONE_SEEN
  #seenAt = 0
  /** Messages about buffers. */
  #sent = 0
  readonly #unsent: BufferUpdate[] = []
  readonly #control: Int32Array
  readonly #loads: Int32Array
  readonly #reader: ReplyReader
  readonly #calls: CallTable<Call>
  readonly #events: EndpointEvents<Call>

  constructor({ index, loads }: EndpointPlace, calls: CallTable<Call>, events: EndpointEvents<Call>) {
    const views = workerViews(this.memory)
    this.index = index
    this.#loads = loads
    this.#control = views.control
    this.#reader = new ReplyReader(views, (id) => calls.get(id)?.name ?? 'unknown')
    this.#calls = calls
    this.#events = events
  }

  /** It reads what it is told: it is up, and has not left much unread. A thread that never turns would keep it all. */
  get canBeNotified(): boolean {
    return this.#isUp && this.#sent - Atomics.load(this.#control, own.UPDATES) < MAX_UNREAD
  }

  /** Of what it was not told at its start. Before it is up, the module that it loads could take the message. */
  notify(update: BufferUpdate): void {
    if (!this.#isUp) return void this.#unsent.push(update)
    this.#sent++
    this.#events.post(update)
  }

  /** Its pool knows that it is up, and is to learn at once what it has done since. */
  readonly onUp = (): void => {
    this.#isUp = true
    this.drain()
    for (const update of this.#unsent.splice(0)) this.notify(update)
  }

  get isUp(): boolean {
    return this.#isUp
  }

  /** Nothing can be read yet. */
  get isEmpty(): boolean {
    return !this.#isUp || this.isBroken || this.#reader.isEmpty
  }

  get isSpinning(): boolean {
    return Atomics.load(this.#control, own.STATE) === own.SPINNING
  }

  /** It sleeps, and takes no calls. */
  get isOccupied(): boolean {
    return Atomics.load(this.#control, own.STATE) === own.OCCUPIED
  }

  /** Others take all calls: it sleeps until it is woken for one. */
  rest(): void {
    Atomics.store(this.#control, own.TO_REST, 1)
  }

  /** It need not rest. If it is about to, it looks at this once more after it has said so. */
  goOn(): void {
    if (Atomics.load(this.#control, own.TO_REST) === 1) Atomics.store(this.#control, own.TO_REST, 0)
  }

  /** Whether it takes one short call after the other: see waking.ts. `now`: milliseconds. */
  progress(now: number): 'none' | 'takes' | 'stuck' {
    if (!this.#isUp || Atomics.load(this.#control, own.STATE) !== own.AWAKE) return this.#forgetProgress()
    if (this.isRetired || Atomics.load(this.#control, own.SINCE) !== 0 || this.mayBeBusy)
      return this.#forgetProgress()
    const id = this.currentId
    if (id === this.#seenId) return now - this.#seenAt < STUCK_MS ? 'takes' : 'stuck'
    this.#seenId = id
    this.#seenAt = now
    return 'takes'
  }

  #forgetProgress(): 'none' {
    this.#seenId = NONE_SEEN
    return 'none'
  }

  get isAwake(): boolean {
    const state = Atomics.load(this.#control, own.STATE)
    return state === own.AWAKE || state === own.SPINNING
  }

  get isAsleep(): boolean {
    return !this.isAwake
  }

  /** Calls that wait on promises in it; Infinity: it takes none now. Of workers with a number beyond those that tell: 0. */
  get load(): number {
    if (this.index >= LOADS) return 0
    return (Atomics.load(this.#loads, this.index) || Infinity) - 1
  }

  /** It takes no calls any more. */
  clearLoad(): void {
    if (this.index < LOADS) Atomics.store(this.#loads, this.index, 0)
  }

  /** The task that the worker runs or ran last; -1: none yet. */
  get currentId(): number {
    return Atomics.load(this.#control, own.CURRENT)
  }

  /** The call that its thread runs now; undefined: none, or one that came by message. */
  get currentCall(): Call | undefined {
    const id = this.currentId
    return id < 0 ? undefined : this.#calls.get(id) // not asked for -1: what reads beyond an array V8 compiles anew
  }

  /** It may say that it sleeps in its event loop, and run something there that is not from the queue. */
  get mayBeBusy(): boolean {
    return this.#events.holdsCalls()
  }

  /** Milliseconds for which that call has run; 0 if it is known to be short. */
  get currentMs(): number {
    const since = Atomics.load(this.#control, own.SINCE)
    return since === 0 ? 0 : Math.max(0, (machineMs() - since) | 0)
  }

  /** A piece of its output was printed: what it replies after that may go by the ring again, which passes messages. */
  notePrinted(): void {
    Atomics.add(this.#control, own.PRINTED, 1)
  }

  /** True if it slept. */
  wake(): boolean {
    const control = this.#control
    const state = Atomics.load(control, own.STATE)
    if (state === own.AWAKE || state === own.SPINNING) return false
    this.goOn()
    if (Atomics.compareExchange(control, own.STATE, state, own.AWAKE) !== state) return false
    this.#seenId = NONE_SEEN
    if (state === own.IN_FUTEX) Atomics.notify(control, own.STATE)
    else this.#events.post(WAKE)
    return true
  }

  /** Says that a message was posted. In its event loop the worker learns of it anyway. */
  ringDoorbell(): void {
    Atomics.store(this.#control, own.DOORBELL, 1)
    if (Atomics.load(this.#control, own.STATE) === own.IN_FUTEX) this.wake()
  }

  /**
   * Reads the replies in the ring, once the worker is known to be up: it takes calls at once, and what it says of them must not
   * pass the message that it is. Returns how many there were.
   */
  drain(): number {
    return this.isEmpty ? 0 : this.drainLast()
  }

  /** The same of one that has ended. */
  drainLast(): number {
    const replies = this.#drain()
    if (Atomics.load(this.#control, own.WANTS_ROOM) === 1) {
      Atomics.store(this.#control, own.WANTS_ROOM, 0)
      this.wake()
    }
    return replies
  }

  #drain(): number {
    if (this.isBroken) return 0
    try {
      return this.#reader.drain(this.onReply)
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      this.#break(error)
      return 0
    }
  }

  /** Nothing that it writes from now on is read. */
  #break(error: unknown): void {
    this.isBroken = true
    this.#events.onBroken(error)
  }

  /** A reply to a call from the queue that came by message: those in the ring are older, and were read before. */
  readonly onMessageReply = (id: number, kind: number, carried: unknown): void => {
    const reply = readReply(kind, carried, this.#calls.get(id)?.name ?? 'unknown')
    this.onReply(id, reply.kind, reply.value)
  }

  /** A reply from the ring, or one that came by message instead. */
  readonly onReply = (id: number, kind: number, value: unknown): void => {
    const call = this.#calls.get(id)
    if (kind === REPLY_UNREADABLE && value instanceof Malformed) return this.#break(value)
    if (call === undefined) return // its caller has given it up, and the worker did not know
    this.#events.onReply(call, kind, value) // knows the call by its id still
    if (kind === REPLY_STARTED || kind === REPLY_WAITING || kind === REPLY_TIMED || kind === REPLY_DONE)
      return
    this.#calls.remove(call)
  }
}

// Buffers on shared memory that calls in the queue name by number. Only a message can bring one to a worker: it does so once,
// not with every call.
//
//   unknown --a second call while one is open, or the PROVENth--> known: 'buffer' to every worker, then the call into the queue
//      ^                                                       |   held, here and in the workers, while calls in the table name it
//      '--'forget-buffer'--- idle for FORGET_MS, or when MAX_IDLE newer ones rest; MAX_TRANSIENT of those that are not proven
//
// Not left to the garbage collector: up to Node 24 nothing that a WeakRef or a FinalizationRegistry points to dies young, and the
// bytes of shared buffers alone bring no full collection: 1500 buffers of 1 MB were all still there (105 MB on Node 26).
//
// Every worker that meets a number knows it: it was told before the call was shown, or at its start, and while one is starting
// nothing becomes known. It is told to forget when no call is left that names the buffer: none that waits, none that it has claimed.

import { machineNow } from '../../wire/machine-clock.js'
import type { BufferUpdate } from '../../wire/messages.js'
import type { QueuedCall } from './call-table.js'
import type { KnownBuffer } from '../layout/worker-init.js'
import { startTimer, stopTimer, type Timer } from '../../../primitives/timers.js'

export interface BufferReaders {
  /** All of them are up, and read what they are told. */
  canBeNotified(): boolean
  notify(update: BufferUpdate): void
}

/** Calls after which a buffer is no transient one: then calls with it may come one after the other. */
const PROVEN = 16
/** Milliseconds for which a buffer stays known when no call names it. */
const FORGET_MS = 100
const MAX_IDLE = 8
/**
 * Of those with fewer calls: what goes in and what comes out of an algorithm that splits its work into a few calls, step by step. To
 * forget it after each step, and tell of it in the next, made the tasks of that start 0.2 to 0.5 ms later. Not more of them: they may be memory
 * that the program has left behind.
 */
const MAX_TRANSIENT = 2

/** A buffer that calls came with. */
interface NamedBuffer {
  readonly number: number
  /** While it is known. */
  buffer: SharedArrayBuffer | undefined
  /** The call that came with it last, while it was not known. */
  before: QueuedCall | undefined
  /** That call could have made it known. */
  mayIntroduce: boolean
  /** Calls that came with it. */
  calls: number
  /** Calls in the table that name it. */
  open: number
  idleSince: number
}

export class SharedBufferRegistry {
  readonly #readers: BufferReaders
  readonly #entries = new WeakMap<SharedArrayBuffer, NamedBuffer>()
  readonly #known = new Set<NamedBuffer>()
  /** Those of the known that no call names, the oldest first: proven ones, and others. */
  readonly #idle = new Set<NamedBuffer>()
  readonly #transient = new Set<NamedBuffer>()
  #lastNumber = 0
  /** Most calls name the one that was named before: a look-up in a WeakMap takes longer than all the rest. */
  #last: NamedBuffer | undefined
  /** Of the call that is being written: entries and their buffers. */
  #named: NamedBuffer[] = []
  readonly #buffers: SharedArrayBuffer[] = []
  #timer: Timer
  /** When it fires. */
  #looksAt = -Infinity

  constructor(readers: BufferReaders) {
    this.#readers = readers
  }

  /** What a worker that starts is to know. */
  get all(): readonly KnownBuffer[] {
    return [...this.#known].map(({ number, buffer }) => ({ number, buffer: buffer! }))
  }

  /** The arguments of a call are written next. */
  begin(): void {
    if (this.#named.length > 0) this.#clear()
  }

  numberOf(buffer: SharedArrayBuffer): number {
    const last = this.#last
    const entry = last !== undefined && last.buffer === buffer ? last : this.#find(buffer)
    if (!this.#named.includes(entry)) {
      this.#named.push(entry)
      this.#buffers.push(buffer)
    }
    return entry.number
  }

  #find(buffer: SharedArrayBuffer): NamedBuffer {
    const entry = this.#entries.get(buffer) ?? createEntry(++this.#lastNumber)
    this.#entries.set(buffer, entry)
    this.#last = entry // holds its buffer only while it is known
    return entry
  }

  /**
   * Whether the call may name these; otherwise it goes by message. A call that found no place is asked about again, and counts
   * once.
   */
  accept(call: QueuedCall): boolean {
    if (this.#named.length === 0) return true
    let isUnknown = false
    let mayIntroduce = true
    for (const entry of this.#named) {
      if (entry.buffer) continue
      isUnknown = true
      if (!isIntroducer(entry, call)) mayIntroduce = false // and count the others all the same
    }
    return !isUnknown || (mayIntroduce && this.#readers.canBeNotified())
  }

  /** The call is in the queue, and not shown yet. */
  commit(call: QueuedCall): void {
    const named = this.#named
    if (named.length === 0) return
    for (let i = 0; i < named.length; i++) {
      const entry = named[i]!
      if (!entry.buffer) this.#publish(entry, this.#buffers[i]!)
      if (entry.open++ === 0) this.#restingWith(entry).delete(entry)
      entry.calls++
    }
    call.written = named
    this.#clear()
  }

  /** No worker has the call any more, nor the queue. */
  release(call: QueuedCall): void {
    if (call.written === undefined) return
    const named = call.written as readonly NamedBuffer[]
    call.written = undefined
    for (const entry of named) if (--entry.open === 0) this.#rest(entry)
  }

  #clear(): void {
    this.#named = []
    this.#buffers.length = 0
  }

  #publish(entry: NamedBuffer, buffer: SharedArrayBuffer): void {
    this.#readers.notify({ type: 'buffer', number: entry.number, buffer })
    entry.buffer = buffer
    this.#known.add(entry)
  }

  #restingWith(entry: NamedBuffer): Set<NamedBuffer> {
    return entry.calls < PROVEN ? this.#transient : this.#idle
  }

  #rest(entry: NamedBuffer): void {
    const now = machineNow()
    entry.idleSince = now
    const resting = this.#restingWith(entry).add(entry)
    const most = resting === this.#transient ? MAX_TRANSIENT : MAX_IDLE
    if (resting.size > most) this.#forget(resting.values().next().value!)
    // One that is overdue may never fire: it was set when the timers of this process were fake, as in somebody's tests.
    if (this.#looksAt <= now) this.#lookIn(FORGET_MS, now)
  }

  /** Once for all that rest, and not at all when none does. */
  #lookIn(ms: number, now: number): void {
    stopTimer(this.#timer)
    this.#looksAt = now + ms
    this.#timer = startTimer(ms, this.#look)
    this.#timer?.unref()
  }

  readonly #look = (): void => {
    const now = machineNow()
    let nextMs = Infinity
    for (const entry of [...this.#transient, ...this.#idle]) {
      const restsFor = entry.idleSince + FORGET_MS - now
      if (restsFor > 0) nextMs = Math.min(nextMs, restsFor)
      else this.#forget(entry)
    }
    this.#looksAt = -Infinity
    if (nextMs < Infinity) this.#lookIn(nextMs + 1, now)
  }

  #forget(entry: NamedBuffer): void {
    this.#restingWith(entry).delete(entry)
    this.#known.delete(entry)
    entry.buffer = undefined
    entry.before = undefined
    this.#readers.notify({ type: 'forget-buffer', number: entry.number })
  }
}

function createEntry(number: number): NamedBuffer {
  const nobody = { buffer: undefined, before: undefined, mayIntroduce: false }
  return { number, ...nobody, calls: 0, open: 0, idleSince: 0 }
}

/** Whether this call, which comes with an unknown buffer, may make it known. */
function isIntroducer(entry: NamedBuffer, call: QueuedCall): boolean {
  const { before } = entry
  if (before !== call) {
    entry.mayIntroduce = ++entry.calls >= PROVEN || (before !== undefined && !before.isSettled)
    entry.before = call
  }
  return entry.mayIntroduce
}

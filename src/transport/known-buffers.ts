// Buffers on shared memory that calls in the queue name by number. Only a message can bring one to a worker: it does so once,
// not with every call.
//
//   unknown --a second call while one is open, or the PROVENth--> known: 'buffer' to every worker, then the call into the queue
//      ^                                                       |   held, here and in the workers, while calls in the table name it
//      |--'forget-buffer'--- no call left -----------------------
//      '--'forget-buffer'--- idle, if proven: for FORGET_MS, and MOST_IDLE of them at most
//
// Not left to the garbage collector: up to Node 24 nothing that a WeakRef or a FinalizationRegistry points to dies young, and the
// bytes of shared buffers alone bring no full collection: 1500 buffers of 1 MB were all still there (105 MB on Node 26).
//
// Every worker that meets a number knows it: it was told before the call was shown, or at its start, and while one is starting
// nothing becomes known. It is told to forget when no call is left that names the buffer: none that waits, none that it has claimed.

import type { BufferNews } from '../protocol/messages.js'
import type { QueuedTask } from './call-table.js'

export interface KnownBuffer {
  readonly number: number
  readonly buffer: SharedArrayBuffer
}

export interface BufferReaders {
  /** All of them are up, and read what they are told. */
  canBeTold(): boolean
  tell(news: BufferNews): void
}

/** Calls after which a buffer is no passing one: then calls with it may come one after the other. */
const PROVEN = 16
/** Milliseconds for which such a buffer stays known when no call names it. */
const FORGET_MS = 100
const MOST_IDLE = 8

interface Entry {
  readonly number: number
  /** While it is known. */
  buffer: SharedArrayBuffer | undefined
  /** The call that came with it last, while it was not known. */
  before: QueuedTask | undefined
  /** That call could have made it known. */
  mayIntroduce: boolean
  /** Calls that came with it. */
  calls: number
  /** Calls in the table that name it. */
  open: number
  idleSince: number
}

export class KnownBuffers {
  readonly #readers: BufferReaders
  readonly #entries = new WeakMap<SharedArrayBuffer, Entry>()
  readonly #known = new Set<Entry>()
  /** Those of the known that no call names, the oldest first. */
  readonly #idle = new Set<Entry>()
  readonly #held = new Map<QueuedTask, readonly Named[]>()
  #lastNumber = 0
  #task: QueuedTask | undefined
  /** Of the call that is being written. */
  #named: Named[] = []
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(readers: BufferReaders) {
    this.#readers = readers
  }

  /** What a worker that starts is to know. */
  get all(): readonly KnownBuffer[] {
    return [...this.#known].map(({ number, buffer }) => ({ number, buffer: buffer! }))
  }

  /** The arguments of this call are written next. */
  begin(task: QueuedTask): void {
    this.#task = task
    if (this.#named.length > 0) this.#named = []
  }

  numberOf(buffer: SharedArrayBuffer): number {
    let entry = this.#entries.get(buffer)
    if (!entry) {
      const number = ++this.#lastNumber
      entry = {
        number,
        buffer: undefined,
        before: undefined,
        mayIntroduce: false,
        calls: 0,
        open: 0,
        idleSince: 0,
      }
      this.#entries.set(buffer, entry)
    }
    if (!this.#named.some((named) => named.entry === entry)) this.#named.push({ entry, buffer })
    return entry.number
  }

  /**
   * Whether the call may name these; otherwise it goes by message. A call that found no place is asked about again, and counts
   * once.
   */
  accept(): boolean {
    let isUnknown = false
    let mayIntroduce = true
    for (const { entry } of this.#named) {
      if (entry.buffer) continue
      isUnknown = true
      if (!this.#mayIntroduce(entry)) mayIntroduce = false // and count the others all the same
    }
    return !isUnknown || (mayIntroduce && this.#readers.canBeTold())
  }

  #mayIntroduce(entry: Entry): boolean {
    const { before } = entry
    if (before !== this.#task) {
      entry.mayIntroduce = ++entry.calls >= PROVEN || (before !== undefined && !before.isSettled)
      entry.before = this.#task
    }
    return entry.mayIntroduce
  }

  /** The call is in the queue, and not shown yet. */
  commit(): void {
    if (this.#named.length === 0) return
    for (const { entry, buffer } of this.#named) {
      if (!entry.buffer) this.#introduce(entry, buffer)
      this.#idle.delete(entry)
      entry.calls++
      entry.open++
    }
    this.#held.set(this.#task!, this.#named)
    this.#named = []
  }

  /** No worker has the call any more, nor the queue. */
  release(task: QueuedTask): void {
    if (this.#held.size === 0) return
    const named = this.#held.get(task)
    if (!named) return
    this.#held.delete(task)
    for (const { entry } of named) if (--entry.open === 0) this.#rest(entry)
  }

  #introduce(entry: Entry, buffer: SharedArrayBuffer): void {
    this.#readers.tell({ type: 'buffer', number: entry.number, buffer })
    entry.buffer = buffer
    this.#known.add(entry)
  }

  #rest(entry: Entry): void {
    if (entry.calls < PROVEN) return this.#forget(entry)
    entry.idleSince = performance.now()
    this.#idle.add(entry)
    if (this.#idle.size > MOST_IDLE) this.#forget(this.#idle.values().next().value!)
    if (!this.#timer) this.#lookIn(FORGET_MS)
  }

  /** Once for all that rest, and not at all when none does. */
  #lookIn(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      const now = performance.now()
      for (const entry of this.#idle) {
        const restsMs = now - entry.idleSince
        if (restsMs < FORGET_MS) return this.#lookIn(FORGET_MS - restsMs + 1)
        this.#forget(entry)
      }
    }, ms)
    this.#timer.unref()
  }

  #forget(entry: Entry): void {
    this.#idle.delete(entry)
    this.#known.delete(entry)
    entry.buffer = undefined
    entry.before = undefined
    this.#readers.tell({ type: 'forget-buffer', number: entry.number })
  }
}

interface Named {
  readonly entry: Entry
  readonly buffer: SharedArrayBuffer
}

// Buffers on shared memory that calls in the queue name by number. Only a message can bring one to a worker: it does so once,
// not with every call.
//
//   main:   the second call with it --'buffer', number--> port of every worker, and only then the call into the queue
//   worker: meets the number --> its table, or else its port, which it reads up to that message
//   main:   the program has dropped the buffer --'forget-buffer'--> port of every worker
//
// Why a worker finds every number that it meets: the pool keeps the arguments of its open calls, and so the buffer. A call that
// was given up has left the queue, or a worker had claimed it by then: that one reads its port no further than to the buffer
// before it has read the call, and 'forget-buffer' comes later.

import type { BufferMessage, BufferNews, ToWorker, WAKE } from '../protocol/messages.js'

type Message = ToWorker | BufferNews | typeof WAKE | undefined

const UNKNOWN = 0

/** The main thread's side. */
export class KnownBuffers {
  readonly #tellAll: (news: BufferNews) => void
  /** UNKNOWN: one call came with it. */
  readonly #numbers = new WeakMap<SharedArrayBuffer, number>()
  readonly #live = new Map<number, WeakRef<SharedArrayBuffer>>()
  #last = UNKNOWN
  /** Most programs need none. */
  #dropped: FinalizationRegistry<number> | undefined

  constructor(tellAll: (news: BufferNews) => void) {
    this.#tellAll = tellAll
  }

  /**
   * Undefined: its call must go by message. Those of the first call do: most buffers come with no other, and a known one
   * stays in the workers until the program has dropped it and its memory was collected here.
   */
  readonly numberOf = (buffer: SharedArrayBuffer): number | undefined => {
    const number = this.#numbers.get(buffer)
    if (number !== undefined && number !== UNKNOWN) return number
    if (number === UNKNOWN) return this.#introduce(buffer)
    this.#numbers.set(buffer, UNKNOWN)
    return undefined
  };

  /** For a worker that starts. */
  *all(): Iterable<BufferMessage> {
    for (const [number, reference] of this.#live) {
      const buffer = reference.deref()
      if (buffer) yield { type: 'buffer', number, buffer }
    }
  }

  #introduce(buffer: SharedArrayBuffer): number {
    const number = ++this.#last
    this.#dropped ??= new FinalizationRegistry((dropped) => this.#forget(dropped))
    this.#dropped.register(buffer, number)
    this.#numbers.set(buffer, number)
    this.#live.set(number, new WeakRef(buffer))
    this.#tellAll({ type: 'buffer', number, buffer })
    return number
  }

  #forget(number: number): void {
    this.#live.delete(number)
    this.#tellAll({ type: 'forget-buffer', number })
  }
}

/** A worker's side. */
export class BufferTable {
  readonly #buffers = new Map<number, SharedArrayBuffer>()

  get(number: number): SharedArrayBuffer | undefined {
    return this.#buffers.get(number)
  }

  /** False: the message is something else. */
  note(message: Message): message is BufferNews {
    if (typeof message !== 'object' || !('type' in message)) return false
    if (message.type === 'buffer') this.#buffers.set(message.number, message.buffer)
    else if (message.type === 'forget-buffer') this.#buffers.delete(message.number)
    else return false
    return true
  }
}

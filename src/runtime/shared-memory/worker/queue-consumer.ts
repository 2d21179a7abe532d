// A worker's side of the request queue.

import { machineNow } from '../../wire/machine-clock.js'
import { WITH_CONTEXT } from '../../wire/messages.js'
import { FLOATS, HEADER } from '../../wire/codec/tags.js'
import type { ValueOrigin } from '../../wire/codec/input.js'
import { readValue } from '../../wire/codec/read-value.js'
import { asSmallInteger, listOfNumbers, listOfOne } from '../../wire/codec/small-integer.js'
import * as layout from '../layout/queue-layout.js'
import { SLOTS, slotWord } from '../layout/queue-layout.js'
import type { QueueViews } from '../layout/queue-memory.js'

/** A call as it came out of the queue. The queue fills the same object again and again. */
export interface TakenCall {
  id: number
  args: readonly unknown[]
  functionIndex: number
  isAnnounced: boolean
  isEach: boolean
  /** Of such ones: microseconds that it took to read them. */
  readUs: number
  isTimed: boolean
  /** WITH_CONTEXT, or 0. */
  extras: number
  /** Of the function; filled in by the server. */
  name: string
  /** Why the arguments cannot be read; undefined: they were. */
  problem: { readonly error: unknown } | undefined
}

export interface ConsumerHost {
  readonly setCurrent: (id: number) => void
  /** A buffer on shared memory that a call names. */
  readonly bufferOf: (number: number) => SharedArrayBuffer
}

export class QueueConsumer {
  readonly call: TakenCall = {
    id: 0,
    args: [],
    functionIndex: 0,
    isAnnounced: false,
    isEach: false,
    readUs: 0,
    isTimed: false,
    extras: 0,
    name: '',
    problem: undefined,
  }
  readonly #views: QueueViews
  readonly #worker: number
  /** Tells the pool which call this worker is about to run, before its slot is given back. */
  readonly #setCurrent: (id: number) => void
  readonly #bufferOf: (number: number) => SharedArrayBuffer
  readonly #origin: ValueOrigin

  constructor(views: QueueViews, worker: number, host: ConsumerHost) {
    this.#views = views
    this.#worker = worker
    this.#setCurrent = host.setCurrent
    this.#bufferOf = host.bufferOf
    const nameOf = () => this.nameOf(this.call.functionIndex)
    this.#origin = {
      what: 'An argument',
      get task() {
        return nameOf()
      },
      where: 'in the worker',
    }
  }

  /** Calls that nobody has claimed; withdrawn ones may be among them. */
  get waiting(): number {
    const { control } = this.#views
    return (Atomics.load(control, layout.TAIL) - Atomics.load(control, layout.HEAD)) | 0
  }

  /** The position of the first call that nobody has claimed. */
  get head(): number {
    return Atomics.load(this.#views.control, layout.HEAD)
  }

  /** Some wait: perhaps only ones that another worker has just claimed, or that were withdrawn; take() tells. */
  get hasCalls(): boolean {
    const { control } = this.#views
    return Atomics.load(control, layout.HEAD) !== Atomics.load(control, layout.TAIL)
  }

  /**
   * Takes the next call into `call`. False: there is none. Each round that fails means that another worker got on, or moves HEAD past a
   * slot that nobody is to claim any more.
   */
  take(): boolean {
    const { control, slots } = this.#views
    for (;;) {
      const head = Atomics.load(control, layout.HEAD)
      if (head === Atomics.load(control, layout.TAIL)) return false
      const word = slotWord(head)
      const full = layout.fullAt(head)
      const isMine = Atomics.compareExchange(slots, word, full, layout.claimedAt(head, this.#worker)) === full
      Atomics.compareExchange(control, layout.HEAD, head, (head + 1) | 0)
      if (isMine) {
        this.#read(head, word)
        return true
      }
    }
  }

  nameOf(functionIndex: number): string {
    const at = functionIndex * layout.NAME_BYTES
    const { names } = this.#views
    return names.toString('utf8', at + 1, at + 1 + (names[at] as number))
  }

  #read(position: number, word: number): void {
    const { slots } = this.#views
    const { call } = this
    const form = slots[word + layout.CALL] as number
    call.id = slots[word + layout.TASK_ID] as number
    call.functionIndex = form >>> layout.FUNCTION_SHIFT
    call.isAnnounced = (form & layout.ANNOUNCE) !== 0
    call.isEach = (form & layout.EACH) !== 0
    const started = call.isEach ? machineNow() : 0
    call.isTimed = (form & layout.TIMED) !== 0
    call.extras = form & layout.CONTEXT ? WITH_CONTEXT : 0
    call.problem = undefined
    try {
      call.args = this.#arguments(form & layout.FORM, position, word)
    } catch (error) {
      call.args = []
      call.problem = { error }
    }
    if (call.isEach) call.readUs = (machineNow() - started) * 1000
    this.#setCurrent(call.id)
    Atomics.store(slots, word, layout.freeAfter(position)) // the pool may use slot and payload again
  }

  #arguments(form: number, position: number, word: number): readonly unknown[] {
    const { numbers, payload, slots } = this.#views
    if (form === layout.ONE_NUMBER)
      return listOfOne(asSmallInteger(numbers[(position & (SLOTS - 1)) * 8 + layout.NUMBER] as number))
    if (form === layout.NO_ARGUMENTS) return []
    const from = slots[word + layout.PAYLOAD_FROM] as number
    const to = from + (slots[word + layout.PAYLOAD_LENGTH] as number)
    const value = readValue(
      payload,
      { from, to },
      this.#buffers(to, slots[word + layout.BUFFERS] as number),
      this.#origin,
    )
    if (form !== layout.LIST) return [value]
    const list = value as unknown[]
    return payload.bytes[from + HEADER] === FLOATS ? listOfNumbers(list as number[]) : list
  }

  /** Those whose numbers stand behind the payload. */
  #buffers(at: number, count: number): readonly unknown[] {
    if (count === 0) return NOTHING
    const { view } = this.#views.payload
    return Array.from({ length: count }, (_, i) => this.#bufferOf(view.getUint32(at + 4 * i, true)))
  }
}

const NOTHING: readonly unknown[] = []

// The calls that are in the queue or with a worker, by the number that travels with them.
//
//   id = generation << 20 | place        a late reply, for whatever reason it comes, meets another generation and is dropped

import * as layout from '../layout/queue-layout.js'

export interface QueuedCall {
  readonly name: string
  readonly args: readonly unknown[]
  readonly options: {
    readonly announceStart: boolean
    readonly isEach: boolean
    readonly hasContext: boolean
  }
  /** Present: the worker is to say when it starts. */
  readonly timing: object | undefined
  /** Its caller has been answered. */
  readonly isSettled: boolean
  /** Present: a worker has told that it has started, or waits. */
  readonly placement: object | undefined
  /** Number in the table; negative: in none. */
  id: number
  /** Place in the queue. */
  position: number
  /**
   * What its arguments became. In the queue: the buffers on shared memory that it names, as shared-buffer-registry.ts has them. Where it
   * must go by message instead: its Carriage.
   */
  written: object | undefined
}

const PLACE_BITS = 20
const PLACES = 1 << PLACE_BITS
const GENERATIONS = 1 << 11

export class CallTable<Call extends QueuedCall> {
  open = 0
  readonly #calls: (Call | undefined)[] = []
  readonly #ids: number[] = []
  /** Places that were used before. */
  readonly #free: number[] = []
  readonly #onRemove: (call: Call) => void

  constructor(onRemove: (call: Call) => void = () => {}) {
    this.#onRemove = onRemove
  }

  get isFull(): boolean {
    return this.open >= PLACES
  }

  /** The id that the next call gets. It is not taken before `set`. */
  nextId(): number {
    const { length } = this.#free
    return length > 0 ? (this.#ids[this.#free[length - 1] as number] as number) : this.#calls.length
  }

  set(id: number, call: Call): void {
    const place = id & (PLACES - 1)
    if (place === this.#calls.length) {
      this.#calls.push(call)
      this.#ids.push(id)
    } else {
      // While the arguments were written, code of their caller's (a getter) may have had other calls taken back.
      if (this.#free.at(-1) === place) this.#free.pop()
      else this.#free.splice(this.#free.indexOf(place), 1)
      this.#calls[place] = call
    }
    call.id = id
    this.open++
  }

  get(id: number): Call | undefined {
    const place = id & (PLACES - 1)
    return this.#ids[place] === id ? this.#calls[place] : undefined
  }

  remove(call: Call): void {
    const id = call.id
    if (id < 0) return
    const place = id & (PLACES - 1)
    call.id = -1
    this.#calls[place] = undefined
    this.#ids[place] = (((id >>> PLACE_BITS) + 1) % GENERATIONS) * PLACES + place
    this.#free.push(place)
    this.open--
    this.#onRemove(call)
  }

  *all(): Iterable<Call> {
    for (const call of this.#calls) if (call) yield call
  }
}

/** What the word CALL of its slot tells of it, beside its function and the form of its arguments. */
export function slotFlagsOf({ options, timing }: QueuedCall): number {
  const { announceStart, isEach, hasContext } = options
  const flags = (announceStart ? layout.ANNOUNCE : 0) | (isEach ? layout.EACH : 0)
  return flags | (hasContext ? layout.CONTEXT : 0) | (timing ? layout.TIMED : 0)
}

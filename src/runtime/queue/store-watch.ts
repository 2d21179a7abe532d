// Looks, while calls are open, whether the store and the workers are still there.
//
//   tick --> write, look at jobs --> an answer: the store is there; none for some seconds: connect anew
//       '--> who is there? --> an answer: a worker is there
//
// Silence of the workers counts only while the store answers: otherwise nobody could hear them.

import { machineNow } from '../wire/machine-clock.js'
import type { WorkerPresence } from './messages.js'

/** Milliseconds from one look to the next. */
export const STORE_LOOK_MS = 2000
/** Ticks that a worker may miss. */
const MISSED_TICKS = 3
/** Milliseconds for an answer; then the connection may be dead, without a word. */
const ANSWER_MS = 5000

export interface StoreWatchOptions {
  readonly storeTimeout: number
  readonly workerTimeout: number
  /** Resolves when the store has written something, and answered. */
  readonly look: () => Promise<void>
  /** Connects anew. */
  readonly replace: () => void
  readonly askWorkers: () => void
  readonly onStoreSilent: () => void
  readonly onNoWorker: () => void
}

export class StoreWatch {
  readonly #options: StoreWatchOptions
  #timer: ReturnType<typeof setInterval> | undefined
  #isLooking = false
  #askedAt = 0
  #storeAt = 0
  #workerAt = 0
  /** When a worker last told how it is. */
  #toldAt = -Infinity
  #tickedAt = 0
  readonly #workers = new Map<string, { readonly presence: WorkerPresence; readonly at: number }>()

  constructor(options: StoreWatchOptions) {
    this.#options = options
  }

  /** Jobs that all workers run at a time, as far as these have told. */
  get places(): number {
    let places = 0
    for (const { presence } of this.#workers.values()) places += presence.isClosing ? 0 : presence.places
    return places
  }

  /** A call is open. */
  start(): void {
    if (this.#timer) return
    const now = machineNow()
    this.#tickedAt = this.#storeAt = this.#workerAt = now
    this.#timer = setInterval(() => this.#tick(), STORE_LOOK_MS)
    this.#timer.unref()
    // One call after the other: what was told a moment ago is not asked for with each of them.
    if (now - this.#toldAt >= STORE_LOOK_MS) this.#options.askWorkers()
  }

  /** None is open any more. */
  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  noteWorker(presence?: WorkerPresence): void {
    this.#workerAt = machineNow()
    if (!presence) return
    this.#toldAt = this.#workerAt
    this.#workers.set(presence.id, { presence, at: this.#workerAt })
  }

  #tick(): void {
    const now = machineNow()
    const since = now - this.#tickedAt
    this.#tickedAt = now
    // This process itself stood still: nobody else was silent for longer than that.
    if (since > MISSED_TICKS * STORE_LOOK_MS) this.#storeAt = this.#workerAt = now
    const { storeTimeout, workerTimeout, onStoreSilent, onNoWorker, askWorkers } = this.#options
    const isSilent = now - this.#storeAt > MISSED_TICKS * STORE_LOOK_MS
    if (isSilent) this.#workerAt = now
    this.#forgetWorkers(now)
    if (now - this.#storeAt > storeTimeout) return onStoreSilent()
    if (this.#storeAt - this.#workerAt > workerTimeout) return onNoWorker()
    askWorkers()
    if (!this.#isLooking) void this.#look()
    else if (now - this.#askedAt > ANSWER_MS) {
      this.#askedAt = now
      this.#options.replace()
    }
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    this.#askedAt = machineNow()
    try {
      await this.#options.look()
      this.#storeAt = machineNow()
    } catch {
      // It is silent, or refuses: the next look may do better.
    } finally {
      this.#isLooking = false
    }
  }

  #forgetWorkers(now: number): void {
    for (const [id, { at }] of this.#workers)
      if (now - at > MISSED_TICKS * STORE_LOOK_MS) this.#workers.delete(id)
  }
}

// When a worker wakes the main thread for what it has written into its ring.
//
// No wake-up is lost, since both sides write before they look: a worker moves the end of its ring and then looks at MAIN_STATE; main
// stores MAIN_STATE and then looks at the rings. See docs/maintainers/transport.md.

import type { MessagePort } from 'node:worker_threads'
import { machineNow } from '../../wire/machine-clock.js'
import { WAKE } from '../../wire/messages.js'
import {
  CPUS,
  HOLDS_BACK,
  NEXT_POLL_AT,
  MAIN_ASLEEP,
  MAIN_AWAKE,
  MAIN_STATE,
} from '../layout/queue-layout.js'

/**
 * Milliseconds for which results may lie in the ring of a worker that has more to do, while main sleeps: as long as the calls that wait
 * will take, between these. Whoever waits behind 5 ms of work loses little by it, and each wake-up costs a worker 25 µs.
 */
const MIN_DELAY_MS = 1
const MAX_DELAY_MS = 5 // not less than main's first look takes to come (main-sleep.ts): nothing would be put off
/** Milliseconds of work that is left for each worker that runs on when main is woken at the latest, so that it brings more in time. */
const LOW_WATER_MS = 0.1

/** What this worker has written. */
interface Replies {
  /** Main has read all but the last one. */
  readonly isRead: boolean
  /** There may be no room for more before long. */
  readonly isFilling: boolean
}

export class MainWaker {
  readonly #queue: Int32Array
  readonly #port: MessagePort
  readonly #replies: Replies
  readonly #workers: number
  /** Since when results lie in the ring although main sleeps; 0: none do. */
  #unseenSince = 0

  /** `queue`: the control words of the queue. `workers`: of the pool, at its start. */
  constructor(queue: Int32Array, port: MessagePort, replies: Replies, workers: number) {
    this.#queue = queue
    this.#port = port
    this.#replies = replies
    this.#workers = workers
  }

  /** Results lie in the ring, and main was not woken. */
  get isBehind(): boolean {
    return this.#unseenSince !== 0
  }

  /** This worker takes no more calls for now, as it has said. Main may have counted on it for those that wait: see waking.ts. */
  handOver(): void {
    if (Atomics.load(this.#queue, HOLDS_BACK) === 1) this.wake()
  }

  /** Wakes main if it sleeps. */
  wake(): void {
    this.#unseenSince = 0
    if (Atomics.load(this.#queue, MAIN_STATE) !== MAIN_ASLEEP) return
    const before = Atomics.compareExchange(this.#queue, MAIN_STATE, MAIN_ASLEEP, MAIN_AWAKE)
    if (before === MAIN_ASLEEP) this.#port.postMessage(WAKE)
  }

  /**
   * The same unless it can wait: further results will follow soon, and one wake-up is enough for all of them; for each, main would
   * take a CPU from the workers. `workLeftMs`: of all calls that wait but one, as if one worker ran them.
   */
  wakeLater(workLeftMs: () => number): void {
    if (Atomics.load(this.#queue, MAIN_STATE) !== MAIN_ASLEEP) this.#unseenSince = 0
    else if (!this.#mayPutOff(workLeftMs)) this.wake()
  }

  /** Main is not needed yet: the oldest result is young, and so much work is left that nobody runs dry. */
  #mayPutOff(workLeftMs: () => number): boolean {
    const now = machineNow()
    if (this.#unseenSince === 0 || this.#replies.isRead) this.#unseenSince = now
    if (this.#replies.isFilling || !this.#looksSoon(now)) return false
    const leftMs = workLeftMs() / this.#runOn()
    const delayMs = Math.min(Math.max(MIN_DELAY_MS, leftMs), MAX_DELAY_MS)
    return now - this.#unseenSince < delayMs && leftMs >= LOW_WATER_MS
  }

  /**
   * Main finds by itself what lies behind a call that is long against all experience: not if it has slept for long, and looks rarely, or if
   * a look is long overdue, since its timer is a fake one.
   */
  #looksSoon(now: number): boolean {
    const ms = (Atomics.load(this.#queue, NEXT_POLL_AT) - (now | 0)) | 0
    return Math.abs(ms) <= MAX_DELAY_MS
  }

  /**
   * Workers that need work while main runs. Where there is no CPU for it beside theirs, the one whose CPU it takes needs none: to count it
   * too wakes main more often when few calls are open (docs/maintainers/figures.md). Of more workers than CPUs as many take short calls as there are CPUs.
   */
  #runOn(): number {
    const cpus = Atomics.load(this.#queue, CPUS)
    if (this.#workers < cpus) return this.#workers
    return Math.max(1, Math.min(this.#workers, cpus || Infinity) - 1)
  }
}

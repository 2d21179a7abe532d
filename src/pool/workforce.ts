// The workers of one pool: started up to `size`, replaced when they die, counted until the last one is gone.
//
// A worker that dies is replaced at once, unless several in a row have died before they had answered a call: then a death
// counts as a start that failed, or a module that always crashes would be started for ever.
//
// A worker that fails to start is not tried again at once while others are alive: RETRY_MS must pass. When none is left,
// the calls that wait for one are failed, and the next call starts a worker again, since the cause may be gone by then.

import { ThreadwiseError } from '../errors.js'
import { startTimer } from '../executor/timer.js'
import { decodeThrown } from '../protocol/serialize-error.js'
import { freeLane } from './lane.js'
import { startFailed } from './start-error.js'
import type { HeldTask, StartWorker, WorkerExit } from './pool-worker.js'
import { WorkerSlot, type SlotEvents, type SlotOptions } from './worker-slot.js'

const RETRY_MS = 1000

/** Workers in a row that may die without having answered. More than one: a call may be what kills them. */
const DEATHS_IN_VAIN = 5

export interface WorkforceOptions extends SlotOptions {
  readonly module: string
  readonly size: number
}

export interface WorkforceEvents extends Omit<SlotEvents, 'onGone' | 'onUp'> {
  /** A worker has ended, with calls that it held. No other was started in its place yet. */
  onLost(exit: WorkerExit, held: readonly HeldTask[]): void
  /** A worker failed to start: nobody takes the calls of its lane, or any calls if none is left (then without a lane). */
  onNoWorker(makeReason: () => unknown, lane?: number): void
  /** A worker came up, or has ended. */
  onChange(): void
}

export class Workforce {
  /** Resolves when all workers are up for the first time. */
  readonly ready: Promise<void>
  slots: readonly WorkerSlot[] = []
  readonly #startWorker: StartWorker
  readonly #options: WorkforceOptions
  readonly #events: WorkforceEvents
  #settleReady!: { resolve: () => void; reject: (error: unknown) => void }
  #nextId = 1
  #retryAt = 0
  #deathsInVain = 0
  #isEnding = false
  #whenEmpty: { promise: Promise<void>; resolve: () => void } | undefined

  constructor(startWorker: StartWorker, options: WorkforceOptions, events: WorkforceEvents) {
    this.#startWorker = startWorker
    this.#options = options
    this.#events = events
    this.ready = new Promise((resolve, reject) => (this.#settleReady = { resolve, reject }))
    this.ready.catch(() => {}) // who never looks at `ready` learns of the failure from the calls
    this.startMissing()
  }

  /** Some worker takes calls. */
  get isUp(): boolean {
    return this.slots.some((slot) => slot.state === 'up')
  }

  get isStarting(): boolean {
    return this.slots.some((slot) => slot.state === 'starting')
  }

  /** Calls that could run side by side if all workers were up, without waiting on promises. */
  get places(): number {
    let places = this.#options.size - this.slots.length
    for (const slot of this.slots) if (slot.hasPlace) places++
    return places
  }

  startMissing(): void {
    if (this.#isEnding || this.slots.length >= this.#options.size) return
    if (this.slots.length > 0 && performance.now() < this.#retryAt) return
    const added: WorkerSlot[] = []
    while (this.slots.length + added.length < this.#options.size) {
      const slot = this.#createSlot()
      slot.lane = freeLane([...this.slots, ...added])
      added.push(slot)
    }
    this.slots = [...this.slots, ...added]
  }

  /** Ends all workers, idle ones gently; resolves when the last one is gone. If they were starting, `reason` says why. */
  end(how: 'close' | 'terminate', reason: unknown): Promise<void> {
    this.#isEnding = true
    this.#settleReady.reject(reason)
    for (const slot of this.slots) slot[how]()
    if (this.slots.length === 0) return Promise.resolve()
    if (!this.#whenEmpty) {
      let resolve!: () => void
      const promise = new Promise<void>((settle) => (resolve = settle))
      this.#whenEmpty = { promise, resolve }
    }
    return this.#whenEmpty.promise
  }

  #createSlot(): WorkerSlot {
    const events: SlotEvents = {
      ...this.#events,
      onUp: () => this.#onUp(),
      onGone: (slot, exit, held) => this.#onGone(slot, exit, held),
    }
    return new WorkerSlot(this.#nextId++, this.#startWorker, events, this.#options)
  }

  #onUp(): void {
    const up = this.slots.filter((slot) => slot.state === 'up')
    if (up.length >= this.#options.size) this.#settleReady.resolve()
    this.#events.onChange()
  }

  #onGone(slot: WorkerSlot, exit: WorkerExit, held: readonly HeldTask[]): void {
    this.slots = this.slots.filter((other) => other !== slot)
    this.#events.onLost(exit, held)
    if (!slot.wasUp || this.#isCrashLoop(slot))
      this.#onStartFailed(slot.lane, () => this.#startError(slot, exit))
    else this.startMissing()
    this.#events.onChange()
    if (this.slots.length === 0) this.#whenEmpty?.resolve()
  }

  #isCrashLoop(slot: WorkerSlot): boolean {
    if (slot.isEndedByPool) return false
    this.#deathsInVain = slot.hasAnswered ? 0 : this.#deathsInVain + 1
    return this.#deathsInVain >= DEATHS_IN_VAIN
  }

  #onStartFailed(lane: number, makeReason: () => unknown): void {
    this.#retryAt = performance.now() + RETRY_MS
    this.#settleReady.reject(makeReason())
    if (this.slots.length === 0) return this.#events.onNoWorker(makeReason)
    this.#events.onNoWorker(makeReason, lane)
    // Calls that come for this lane until then wait for the next try, and nothing else may happen meanwhile.
    startTimer(RETRY_MS + 1, () => this.#events.onChange())?.unref()
  }

  #startError({ startFailure, wasUp }: WorkerSlot, exit: WorkerExit): ThreadwiseError {
    const { module, startTimeout } = this.#options
    if (startFailure === 'timeout') {
      return new ThreadwiseError('TW_ERR_START_TIMEOUT', { module, timeout: startTimeout })
    }
    if (startFailure) {
      return startFailed(module, decodeThrown(startFailure))
    }
    const reason = `it ended ${exit.how} ${wasUp ? 'before it had answered a call' : 'while loading'}`
    return new ThreadwiseError('TW_ERR_START_FAILED', { module, reason }, exit)
  }
}

// The workers of one pool: started up to `size`, replaced when they die, counted until the last one is gone.
//
// A worker that dies is replaced at once, unless several in a row have died before they had answered a call: then a death
// counts as a start that failed, or a module that always crashes would be started for ever.
//
// A worker that fails to start is not tried again at once while others are alive: RETRY_MS must pass; then it is when calls wait,
// and otherwise ever more rarely. When none is left, the calls that wait for one are failed, and the next call starts a worker
// again, since the cause may be gone by then.

import type { ThreadwiseError } from '../../../errors/errors.js'
import { enterLater } from '../../task/async-scope.js'
import { startError, type WorkerExit, type HeldCall, type StartWorker } from './worker.js'
import { machineNow } from '../../wire/machine-clock.js'
import type { ResizableWorkers } from './elastic-size.js'
import type { SizeRange } from '../../executor/shared-options.js'
import { firstFree } from '../../../primitives/first-free.js'
import type { SlotEvents, SlotOptions } from './slot-events.js'
import { Replacements } from '../../core/replacements.js'
import type { Call } from '../calls/call.js'
import { startedOf } from './begun-calls.js'
import { startInTurn } from './start-worker.js'
import { tellOfEnd, type ToldOfEnds } from '../../core/worker-errors.js'
import { WorkerSlot } from './worker-slot.js'
import { startTimer, stopTimer, type Timer } from '../../../primitives/timers.js'

const RETRY_MS = 1000

/** Workers that start at a time: this thread, too, needs some of the CPU time meanwhile, and each of them its startTimeout. */
const MAX_STARTING = 16

/** Workers in a row that may die without having answered. More than one: a call may be what kills them. */
const DEATHS_IN_VAIN = 5

export interface WorkerSetOptions extends SlotOptions, ToldOfEnds {
  readonly module: string
  readonly size: SizeRange
  /** Milliseconds after which a worker is replaced; Infinity: never for that. */
  readonly maxAge: number
  /** Workers start with the first call. */
  readonly startsLate?: boolean | undefined
  /** Workers are replaced while they work. */
  readonly recycles?: boolean | undefined
}

export interface WorkerSetEvents extends Omit<
  SlotEvents<WorkerSlot>,
  'onGone' | 'onUp' | 'onWorn' | 'onSpent' | 'isHeldBack'
> {
  /**
   * A worker has ended, with calls that it held. No other was started in its place yet. True: some are lost with it, and one of them may be why:
   * the worker is not what failed.
   */
  onLost(exit: WorkerExit, held: readonly HeldCall[]): boolean
  /** A worker failed to start: nobody takes the calls of its lane, or any calls if none is left (then without a lane). */
  onNoWorker(makeReason: () => unknown, lane?: number): void
  /** One leaves or is ended in the midst of calls, and another takes its place: those that wait may be for this lane alone. */
  onHandOver(): void
  /** A worker came up, or has ended. */
  onChange(): void
}

export class WorkerSet implements ResizableWorkers {
  /** Resolves when all workers are up for the first time. */
  readonly ready: Promise<void>
  slots: readonly WorkerSlot[] = []
  readonly #startWorker: StartWorker
  readonly #options: WorkerSetOptions
  readonly #events: WorkerSetEvents
  #range: SizeRange
  /** Workers that there should be. */
  #target: number
  #settleReady!: { resolve: () => void; reject: (error: unknown) => void }
  /** What ends their age. */
  readonly #ages = new Map<WorkerSlot, Timer>()
  /** In the contexts of whoever made the pool; not of the call that needs a worker, which all messages of that worker would come in. */
  readonly #inContexts = enterLater()
  #nextId = 1
  #retryAt = 0
  #restart: Timer
  /** In a row. */
  #failedStarts = 0
  #deathsInVain = 0
  #isEnding = false
  /** Nobody has asked for anything. */
  #isAsleep: boolean
  /** Some of them are started in the next turns. */
  #isPaced = false
  readonly #goOn = () => {
    if (this.#isPaced) this.startMissing()
    this.#events.onChange() // a call may still need the worker of its lane
  }
  readonly #replacements = new Replacements<WorkerSlot>()
  #whenEmpty: { promise: Promise<void>; resolve: () => void } | undefined

  constructor(startWorker: StartWorker, options: WorkerSetOptions, events: WorkerSetEvents) {
    this.#startWorker = startWorker
    this.#options = options
    this.#events = events
    this.#range = options.size
    this.#target = options.size.min
    this.#isAsleep = options.startsLate ?? false
    this.ready = new Promise((resolve, reject) => (this.#settleReady = { resolve, reject }))
    this.ready.catch(() => {}) // who never looks at `ready` learns of the failure from the calls
    if (options.size.min === 0) this.#settleReady.resolve()
    this.startMissing()
  }

  get workerCount(): number {
    return this.#members.length + (this.#isAsleep ? this.#target : this.#soon)
  }

  /** Calls that have started in one of them, as far as that is known. */
  get started(): Call[] {
    return this.slots.flatMap(({ running, channel }) => startedOf(running.values(), channel))
  }

  /** Those that are started in the next turns. */
  get #soon(): number {
    return this.#isPaced ? Math.max(0, this.#target - this.#members.length) : 0
  }

  get recycles(): boolean {
    return this.#options.recycles ?? false
  }

  /** Of those that take calls, or will: also of one that needs recycling and whose successor could not be started yet. */
  get lanes(): readonly number[] {
    const working = this.slots.filter(({ state, isLeaving }) => !isLeaving && state !== 'gone')
    const lanes = working.map(({ lane }) => lane)
    for (let soon = this.workerCount - this.#members.length; soon > 0; soon--) lanes.push(firstFree(lanes))
    return [...new Set(lanes)]
  }

  /** Some worker takes calls. */
  get isUp(): boolean {
    return this.slots.some((slot) => slot.state === 'up' && !slot.isLeaving)
  }

  /** Some worker takes calls, or will: from a shared queue as soon as it is up, without being told. */
  get isServing(): boolean {
    return this.slots.some(({ state, isLeaving }) => (state === 'up' || state === 'starting') && !isLeaving)
  }

  get isStarting(): boolean {
    return this.#soon > 0 || this.#starting > 0
  }

  /** Some are starting, or end and have never been up: their end is what those are told of who wait for `ready`. */
  get hasUnstarted(): boolean {
    return this.#soon > 0 || this.slots.some(({ wasUp }) => !wasUp)
  }

  get #starting(): number {
    return this.slots.reduce((count, { state }) => (state === 'starting' ? count + 1 : count), 0)
  }

  /** Calls that can be open in all workers together, once they are up. */
  get capacity(): number {
    return this.#range.max * this.#options.tasksPerWorker
  }

  /** Calls that could run side by side if all workers were up, without waiting on promises. */
  get places(): number {
    let places = this.#range.max - this.#members.length
    for (const slot of this.slots) if (slot.hasPlace) places++
    return places
  }

  /** The first call, or somebody who waits for `ready`. */
  wake(): void {
    if (!this.#isAsleep) return
    this.#isAsleep = false
    this.startMissing()
  }

  startMissing(): void {
    this.#isPaced = false
    if (this.#isEnding || this.#isAsleep || (this.slots.length > 0 && machineNow() < this.#retryAt)) return
    while (!this.#isPaced && this.#members.length < this.#target && !this.#isCrowded)
      this.#isPaced =
        this.#starting >= MAX_STARTING || !this.#startInTurn(firstFree(this.#members.map(({ lane }) => lane)))
  }

  /** Starts the worker of this lane, if there is none. */
  startLane(lane: number): void {
    if (this.#isEnding || this.#members.length >= this.#range.max) return
    if (this.#members.some((slot) => slot.lane === lane)) return
    if (this.slots.length > 0 && machineNow() < this.#retryAt) return
    if (this.#startInTurn(lane)) this.#target = Math.max(this.#target, this.#members.length)
  }

  grow(by: number): void {
    this.#target = Math.max(this.#target, Math.min(this.workerCount + by, this.#range.max))
    this.startMissing()
  }

  shrink(by: number): void {
    const idle = this.#members.filter(
      (slot) => slot.state === 'up' && slot.running.size === slot.load.abandoned,
    )
    this.#letGo(idle, by)
  }

  /** More workers start at once; fewer: those in the last lanes leave, when they have done what they have. */
  resize(range: SizeRange): void {
    this.#range = range
    this.#target = Math.min(Math.max(this.workerCount, range.min), range.max)
    // First those in lanes that there are no more: the others keep their keys.
    const target = this.#target
    this.#letGo(this.#members, this.#members.filter(({ lane }) => lane >= range.max).length)
    this.#letGo(this.#members, this.#members.length - target)
    this.#target = target
    this.#checkReady()
    this.startMissing()
  }

  #letGo(slots: readonly WorkerSlot[], count: number): void {
    const lastFirst = [...slots].sort((a, b) => b.lane - a.lane)
    if (count <= 0) return
    const soon = this.#soon
    for (const slot of lastFirst.slice(0, count)) slot.retire()
    this.#target = Math.min(this.#target, this.#members.length + soon)
    this.#events.onChange()
  }

  /** Those that are there to stay. */
  get #members(): readonly WorkerSlot[] {
    return this.slots.filter((slot) => {
      const { state, isLeaving, needsRecycle } = slot
      return !isLeaving && !needsRecycle && state !== 'gone' && !isGivenUp(slot)
    })
  }

  /** Tasks that are given up again and again in native code, or block beside others that somebody waits for, must not pile up threads. */
  get #isCrowded(): boolean {
    return this.slots.filter(isGivenUp).length > this.#range.max
  }

  #startInTurn(lane: number): boolean {
    return startInTurn(() => this.#startIn(lane), this.#goOn)
  }

  /** Rather one that is starting and was to leave: a size that goes up and down must not pile up workers. */
  #startIn(lane: number): void {
    const mayStay = (slot: WorkerSlot) => slot.lane === lane && !slot.needsRecycle
    const isTakenBack = this.slots.some((slot) => mayStay(slot) && slot.unretire())
    if (!isTakenBack) this.slots = [...this.slots, this.#createSlot(lane)]
  }

  /** Ends all workers, idle ones gently; resolves when the last one is gone. If they were starting, `reason` says why. */
  end(how: 'close' | 'terminate', reason: unknown): Promise<void> {
    this.#isEnding = true
    stopTimer(this.#restart)
    this.#settleReady.reject(reason)
    this.#replacements.fail(reason)
    const isBare = this.slots.some(({ wasUp, tearsDown }) => wasUp && !tearsDown)
    for (const slot of this.slots) {
      if (isBare && slot.state === 'starting')
        slot.terminate() // its setup() has no counterpart to wait for
      else slot[how]()
    }
    if (this.slots.length === 0) return Promise.resolve()
    if (!this.#whenEmpty) {
      let resolve!: () => void
      const promise = new Promise<void>((settle) => (resolve = settle))
      this.#whenEmpty = { promise, resolve }
    }
    return this.#whenEmpty.promise
  }

  #createSlot(lane: number): WorkerSlot {
    const events: SlotEvents<WorkerSlot> = {
      ...this.#events,
      onUp: (slot) => this.#onUp(slot),
      onWorn: (slot) => this.#onWorn(slot),
      onSpent: () => this.#onSpent(),
      isHeldBack: (slot) => this.slots.some((other) => other !== slot && isBusyIn(slot.lane, other)),
      onGone: (slot, exit, held) => this.#onGone(slot, exit, held),
    }
    const numbers = { id: this.#nextId++, lane }
    return this.#inContexts(() => new WorkerSlot(numbers, this.#startWorker, events, this.#options))
  }

  #onUp(slot: WorkerSlot): void {
    this.#options.observer?.onUp(slot.view.identity)
    if (this.#deathsInVain === 0) this.#failedStarts = 0
    if (this.#isPaced) this.startMissing()
    this.#checkReady()
    const timer = startTimer(this.#options.maxAge, () => this.#onWorn(slot))
    timer?.unref()
    this.#ages.set(slot, timer)
    this.#relieveWorn()
    this.#events.onChange()
  }

  /** It may have been asked for fewer meanwhile, as when another pool takes its share of the CPUs. */
  #checkReady(): void {
    const up = this.slots.filter(({ state, isLeaving }) => state === 'up' && !isLeaving)
    if (up.length >= Math.min(this.#options.size.min, this.#range.min)) this.#settleReady.resolve()
  }

  /** Worn workers leave when their lane has another one; or when there are enough others, and none is about to take it over. */
  #relieveWorn(): void {
    const up = this.#members.filter(({ state }) => state === 'up')
    for (const slot of this.slots) {
      if (!slot.needsRecycle || slot.isLeaving) continue
      const successor = this.#members.find(({ lane }) => lane === slot.lane)
      // At once: beside each other, both would be given calls of the lane's keys.
      if (successor?.state === 'up') slot.retire()
      else if (!successor && up.length >= Math.min(this.#target, this.#members.length)) slot.retire()
    }
  }

  /** Its successor starts while it works on, so that there is no gap. */
  #onWorn(slot: WorkerSlot): void {
    if (slot.needsRecycle || slot.isLeaving || slot.state !== 'up') return
    slot.needsRecycle = true
    if (slot.isUsedUp) slot.retire() // it would take no call meanwhile
    this.startMissing()
  }

  /** Replaces all that there are. Resolves when the last of them has ended; rejects when none can be started in their place. */
  recycleAll(): Promise<void> {
    for (const slot of this.slots) slot.needsRecycle = true
    this.startMissing()
    this.#relieveWorn()
    return this.#replacements.add(this.slots.filter(({ needsRecycle }) => needsRecycle))
  }

  #onSpent(): void {
    this.#events.onHandOver()
    this.startMissing()
    this.#events.onChange()
  }

  #onGone(slot: WorkerSlot, exit: WorkerExit, held: readonly HeldCall[]): void {
    stopTimer(this.#ages.get(slot))
    this.#ages.delete(slot)
    this.slots = this.slots.filter((other) => other !== slot)
    const { wasUp, isEndedByPool, startFailure, view } = slot
    const hasFailed = startFailure !== undefined || (!wasUp && !isEndedByPool)
    const startError = hasFailed ? this.#startError(slot, exit) : undefined
    const isToldByCall = held.some(({ call }) => !call.isSettled)
    // Or its callers have given up all that it had, and its end is how the task has taken that.
    const isGivenUp = held.length > 0 && !isToldByCall
    tellOfEnd(
      { identity: view.identity, exit, isToldByCall, isGivenUp, wasUp, isEndedByPool, startError },
      this.#options,
    )
    this.#replacements.onGone(slot)
    const isExplained = this.#events.onLost(exit, held) || isGivenUp
    const isSentAway = slot.isLeaving && !slot.startFailure
    if (!isSentAway && (!slot.wasUp || (!isExplained && this.#isCrashLoop(slot))))
      this.#onStartFailed(slot.lane, () => this.#startError(slot, exit))
    else this.startMissing()
    if (isSentAway) this.#relieveWorn()
    this.#events.onChange()
    if (this.slots.length === 0) this.#whenEmpty?.resolve()
  }

  #isCrashLoop(slot: WorkerSlot): boolean {
    if (slot.isEndedByPool) return false
    this.#deathsInVain = slot.answered > 0 ? 0 : this.#deathsInVain + 1
    return this.#deathsInVain >= DEATHS_IN_VAIN
  }

  #onStartFailed(lane: number, makeReason: () => unknown): void {
    this.#retryAt = machineNow() + RETRY_MS
    this.#isPaced = false
    const reason = makeReason()
    this.#settleReady.reject(reason)
    this.#replacements.fail(reason)
    if (this.slots.length === 0) {
      stopTimer(this.#restart)
      return this.#events.onNoWorker(makeReason)
    }
    const isServed = this.slots.some((slot) => slot.lane === lane && slot.state === 'up' && !slot.isLeaving)
    if (!isServed) this.#events.onNoWorker(makeReason, lane)
    if (this.#isEnding) return // its workers end while they start; a timer would hold the pool
    // Calls that come for this lane until then wait for the next try, and nothing else may happen meanwhile.
    startTimer(RETRY_MS + 1, () => this.#events.onChange())?.unref()
    this.#restartLater()
  }

  /** Without being asked, or a pool that the others suffice for would stay without it; ever more rarely. */
  #restartLater(): void {
    stopTimer(this.#restart)
    this.#restart = startTimer(RETRY_MS * 2 ** Math.min(this.#failedStarts, 6) + 2, () => {
      this.#failedStarts++ // here, as several may fail together
      this.startMissing()
    })
    this.#restart?.unref()
  }

  #startError({ startFailure: failure, wasUp }: WorkerSlot, exit: WorkerExit): ThreadwiseError {
    return startError({ module: this.#options.module, failure, wasUp }, exit)
  }
}

/**
 * The pool ends it since a task blocks it for which nobody waits any more; or it gives no sign of life, and is kept for a while all the same. Another
 * one takes its place meanwhile.
 */
function isGivenUp({ state, wasUp, isEndedByPool, isLeaving, life }: WorkerSlot): boolean {
  return isLeaving ? life.isAsked : state === 'ending' && wasUp && isEndedByPool
}

function isBusyIn(lane: number, slot: WorkerSlot): boolean {
  return slot.lane === lane && slot.state !== 'ending' && slot.running.size > slot.load.abandoned
}

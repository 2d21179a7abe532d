// Which sleeping workers are woken for calls that lie in the queue.
//
// A worker that says that it sleeps in its event loop may be running something there: a call that came by message, or what follows
// a promise. It would count as woken, and nobody else would come. So those that hold no other calls are woken first, then those in which
// the fewest wait, since they take the calls that others leave to them (fair-share.ts); and if a call is still unclaimed at main's next
// look, all are. Nor is a spinning one counted on that holds other calls: it runs those first.

import { SLOTS, HOLDS_BACK } from '../layout/queue-layout.js'
import type { QueueViews } from '../layout/queue-memory.js'

interface Sleeper {
  readonly isRetired: boolean
  /** It sleeps, and takes no calls. */
  readonly isOccupied: boolean
  readonly isSpinning: boolean
  readonly mayBeBusy: boolean
  /** Calls that wait on promises in it; Infinity: it takes none now. */
  readonly load: number
  readonly isAsleep: boolean
  /** True if it slept. */
  wake(): boolean
}

/**
 * As many as there are calls that no spinning one will take, each at most once: one that has woken may have run all that there is, and sleep
 * again, while main wakes the next. Returns how many were woken.
 */
export function wakeFor(calls: number, workers: readonly Sleeper[]): number {
  let needed = calls
  for (let i = 0; i < workers.length; i++) {
    const worker = workers[i]!
    if (!worker.isRetired && worker.isSpinning && !worker.mayBeBusy) needed--
  }
  const left = wakeFree(needed, workers)
  return needed - (left > 0 ? wakeLeastLoaded(left, workers) : left)
}

export function wakeAll(workers: readonly Sleeper[]): void {
  for (const worker of workers) if (!worker.isRetired) worker.wake()
}

function isFree(worker: Sleeper): boolean {
  return !worker.mayBeBusy && worker.load <= 0
}

/** Those that hold no calls. Returns how many more are needed. */
function wakeFree(needed: number, workers: readonly Sleeper[]): number {
  let left = needed
  for (let i = 0; i < workers.length && left > 0; i++) {
    const worker = workers[i]!
    if (!worker.isRetired && !worker.isOccupied && isFree(worker) && worker.wake()) left--
  }
  return left
}

/** Of the others. One that holds none by now looks at the queue itself, after it has said so. Returns how many more are needed. */
function wakeLeastLoaded(needed: number, workers: readonly Sleeper[]): number {
  const asleep = workers.filter(
    (worker) => !worker.isRetired && !worker.isOccupied && worker.isAsleep && !isFree(worker),
  )
  if (asleep.length > needed) asleep.sort((a, b) => (a.load < b.load ? -1 : Number(a.load > b.load)))
  let left = needed
  for (let i = 0; i < asleep.length && left > 0; i++) if (asleep[i]!.wake()) left--
  return left
}

// How many workers are woken where there are more of them than CPUs.
//
// Not one for each call: while calls are short, a further worker only takes CPU time from those that work, and each wake-up takes
// main some microseconds. So as many workers as there are CPUs take all short calls, and the others sleep on. For each call
// that is not known to be short a worker is woken, as where there are CPUs enough: it may block its thread, or wait for others.
//
//   known to be short      its function says so (SHORT_AT), and it names no shared buffer, by which calls could wait for each other
//   takes short calls      awake, and at no call that may be long (SINCE), and without calls that main knows it has beside these
//
// No call is forgotten. Main stores HOLDS_BACK before it looks at what the workers do. A worker that takes no more calls says so first
// (SINCE, or OCCUPIED), and then looks at HOLDS_BACK: if main has counted on it, it wakes main, which counts anew. Main
// does too before it sleeps, after it has stored MAIN_ASLEEP. One that retires or dies is noticed anyway, and so is one that main sends a
// message. One that was told to rest looks at TO_REST and at the queue once more after it has said that it sleeps, and main takes TO_REST back
// before it looks at who sleeps. What is left are calls that are long against all experience: when no worker gets on, main wakes
// all, when calls come or when it looks by itself, and from then on their functions are not known to be short.

/** A worker, as far as it takes calls from the queue. */
interface Taker {
  /** See STUCK_MS. */
  progress(now: number): 'none' | 'takes' | 'stuck'
  rest(): void
  goOn(): void
}

/** Milliseconds at one short call after which a worker is not counted on. Linux may let it wait for 3 ms, behind others. */
export const STUCK_MS = 4

export class WakeLimit<Worker extends Taker> {
  /** There are more workers than CPUs: without that nothing of this is asked. */
  isOn = false
  /** Main has woken fewer workers than there are calls. */
  isHoldingBack = false
  /** CPUs that the process may use, rounded up; Infinity: not known yet. */
  #cpus = Infinity
  readonly #views: QueueViews
  readonly #onStuck: (worker: Worker) => void
  /** Calls that are not known to be short: all that were put in, and how many those were when the slot was filled last. */
  #others = 0
  readonly #othersBefore = new Int32Array(SLOTS)

  /** `onStuck`: a worker is at a call that was taken to be short. */
  constructor(views: QueueViews, onStuck: (worker: Worker) => void) {
    this.#views = views
    this.#onStuck = onStuck
  }

  /** CPUs that run so many workers at a time. */
  cpusFor(workers: number): number {
    return Math.min(workers, this.#cpus)
  }

  /** Returns whether it was on, and is no more: then all are to be called back, and woken. */
  update(workers: number, cpus = this.#cpus): boolean {
    const wasOn = this.isOn
    this.#cpus = cpus
    this.isOn = workers > cpus
    if (this.isOn && !wasOn) this.#others = (this.#others + SLOTS) | 0 // nobody has looked at those that are in the queue
    if (this.isOn || !wasOn) return false
    this.#holdBack(false, 0)
    return true
  }

  /** A call is put in at this position. */
  note(position: number, functionIndex: number, namesBuffers: boolean): void {
    this.#othersBefore[position & (SLOTS - 1)] = this.#others
    if (namesBuffers || this.#views.short[functionIndex] !== 1) this.#others = (this.#others + 1) | 0
  }

  /** Workers to wake, for the calls from this position on. One that spins counts as woken. */
  needed(head: number, waiting: number, workers: readonly Worker[], now: number): number {
    if (waiting === 0) return this.#holdBack(false, 0)
    Atomics.store(this.#views.control, HOLDS_BACK, 1)
    const others = (this.#others - (this.#othersBefore[head & (SLOTS - 1)] as number)) | 0
    const forOthers = Math.min(waiting, others)
    const forShort = Math.min(waiting - forOthers, this.#cpus)
    const needed = forOthers + this.#missing(forShort, { workers, now, mayRest: forOthers === 0 })
    return needed < waiting ? this.#holdBack(true, needed) : this.#holdBack(false, waiting)
  }

  #holdBack(isHoldingBack: boolean, needed: number): number {
    this.isHoldingBack = isHoldingBack
    if (!isHoldingBack) Atomics.store(this.#views.control, HOLDS_BACK, 0)
    return needed
  }

  /** So many workers are to take short calls. Infinity: those that did are stuck, and others may be before long. */
  #missing(wanted: number, { workers, now, mayRest }: Look<Worker>): number {
    let takers = 0
    const stuck: Worker[] = []
    for (let i = 0; i < workers.length; i++) {
      const worker = workers[i]!
      if (takers < wanted || !mayRest) worker.goOn() // before it is counted on: it may be about to sleep
      const progress = worker.progress(now)
      if (progress === 'none') continue
      if (progress === 'takes') takers++
      else stuck.push(worker)
      if (takers > this.#cpus && mayRest) worker.rest()
    }
    if (takers > 0 || stuck.length === 0) return Math.max(0, wanted - takers)
    stuck.forEach(this.#onStuck)
    return Infinity
  }
}

interface Look<Worker> {
  readonly workers: readonly Worker[]
  /** Milliseconds. */
  readonly now: number
  /** Workers may be told to rest: no call waits that may be long. */
  readonly mayRest: boolean
}

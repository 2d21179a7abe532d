// How a worker stops taking calls, and ends when it has done those that it has.
//
//   leaving --'retire'--> worker --'retired'--> takes none from the shared queue --> its last call ends --> end
//
// It leaves because the pool has others, or enough; or because it is exhausted: so many abandoned promises are open in it that a new
// worker is better; each holds memory, and maybe a connection. Some may settle yet: it leaves all the same.

import type { Call } from '../calls/call.js'
import type { LifeSigns } from './life-signs.js'
import type { Channel } from './worker.js'
import type { SlotEvents } from './slot-events.js'
import type { SlotLoad } from './slot-load.js'
import { nextTurn, startTimer } from '../../../primitives/timers.js'

export interface Retiree {
  readonly state: 'starting' | 'up' | 'ending' | 'gone'
  readonly channel: Channel
  readonly load: SlotLoad
  readonly running: ReadonlyMap<number, Call>
  /** It gets no further calls, save forks. */
  readonly isUsedUp: boolean
  /** Ends it gently: it has nothing left to do. */
  close(): void
  terminate(): void
  readonly life: LifeSigns
  /** Somebody waits for a call that keeps its thread. */
  readonly computes: boolean
  onSilence(): void
}

/** Milliseconds for a sign of life after the gracePeriod of a call: as long as that, between these. */
const MIN_ANSWER_MS = 100
const MAX_ANSWER_MS = 1000

interface Places {
  readonly tasksPerWorker: number
  /** Undefined: the worker holds back no call itself. */
  readonly waitingPerWorker?: number | undefined
}

export class Retirement {
  isLeaving = false
  /** It takes no calls from a shared queue, or there is none. */
  #isRetired: boolean
  /** Calls that may be why the worker is ended soon: those that are given to it now would be lost with it. */
  readonly #inGrace = new Set<Call>()
  readonly #worker: Retiree
  readonly #options: Places

  constructor(worker: Retiree, options: Places, hasSharedQueue: boolean) {
    this.#worker = worker
    this.#options = options
    this.#isRetired = !hasSharedQueue
  }

  /** It was told to take no more calls from the shared queue, and has not said that it does not. */
  get isAwaited(): boolean {
    return this.isLeaving && !this.#isRetired && this.#worker.state === 'up'
  }

  get isInGrace(): boolean {
    return this.#inGrace.size > 0
  }

  retire(): void {
    const { state } = this.#worker
    if (this.isLeaving || state === 'ending' || state === 'gone') return
    this.isLeaving = true
    if (state === 'up') this.#leave()
  }

  /** It is needed after all, and has not been told yet. False: it has, or was not to leave. */
  unretire(): boolean {
    if (!this.isLeaving || this.#worker.state !== 'starting') return false
    this.isLeaving = false
    return true
  }

  /** Perhaps it is to leave since before: what its setup() has opened is for its teardown() to close. */
  onUp(): void {
    if (this.isLeaving) this.#leave()
  }

  onRetired(): void {
    this.#isRetired = true
    this.#endWhenSpent()
  }

  /** A call that nobody waits for any more has gracePeriod, from its start, to end by itself. */
  startGrace(call: Call, events: Pick<SlotEvents<never>, 'onReplies' | 'onSpent'>): void {
    if (this.#worker.running.get(call.id) !== call) return // it has ended: nothing would take it out of #inGrace
    if (!call.placement!.isWaiting) this.#inGrace.add(call)
    const judge = () => {
      this.#inGrace.delete(call)
      const { running } = this.#worker
      if (running.get(call.id) !== call) return // the number may be another call's by now
      if (call.placement!.isWaiting) return this.#judgeWaiting(call, events)
      this.#worker.terminate() // it blocks the others
      events.onSpent() // its end may take as long as the native code that the task is in
    }
    // This thread may have been busy: an answer that has come by now is read first.
    startTimer(call.options.gracePeriod, () => nextTurn(judge))?.unref()
  }

  /** Its promise is open: it may merely wait, or block the thread since it goes on. */
  #judgeWaiting(call: Call, events: Pick<SlotEvents<never>, 'onReplies' | 'onSpent'>): void {
    const { life, running } = this.#worker
    this.#inGrace.add(call)
    const ms = Math.min(Math.max(call.options.gracePeriod, MIN_ANSWER_MS), MAX_ANSWER_MS)
    const isOpen = () => running.get(call.id) === call
    const onAnswer = () => {
      this.#inGrace.delete(call)
      if (!isOpen()) return events.onReplies()
      if (!call.placement!.isWaiting) return this.startGrace(call, events) // a stream whose end has come runs again
      this.#abandon(call)
      if (this.#isSpent && !this.isLeaving) {
        this.retire()
        events.onSpent()
      }
      events.onReplies()
    }
    const onSilence = () => {
      if (this.#worker.state !== 'up') return
      if (!isOpen()) return onAnswer()
      // What keeps the thread is a call that somebody waits for: it is asked again when that has had its time.
      if (this.#worker.computes) life.askFor(MAX_ANSWER_MS, onAnswer, onSilence)
      else this.#worker.onSilence()
    }
    life.askFor(ms, onAnswer, onSilence)
  }

  /** It does not block the worker. */
  onWaiting(call: Call): void {
    this.#inGrace.delete(call)
  }

  onEnded(call: Call): void {
    this.#inGrace.delete(call)
    this.#endWhenSpent()
  }

  /** When the last call has ended. */
  #endWhenSpent(): void {
    const { running, load } = this.#worker
    if (!this.isLeaving || !this.#isRetired || running.size > load.abandoned) return
    if (load.abandoned > 0) this.#worker.terminate()
    else this.#worker.close()
  }

  /** It waits on a promise that may never settle: others get its place. */
  #abandon(call: Call): void {
    if (call.placement!.isAbandoned) return
    this.#worker.load.abandon(call)
    const holdsBack = !this.#isRetired || this.#options.waitingPerWorker !== undefined
    if (holdsBack) this.#worker.channel.send({ type: 'abandon', id: call.id })
    this.#endWhenSpent()
  }

  get #isSpent(): boolean {
    const { load, running, isUsedUp } = this.#worker
    return load.abandoned >= this.#options.tasksPerWorker || (isUsedUp && running.size <= load.abandoned)
  }

  #leave(): void {
    if (this.#isRetired) this.#endWhenSpent()
    else this.#worker.channel.send({ type: 'retire' })
  }
}

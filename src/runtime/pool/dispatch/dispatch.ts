// Whose turn it is among the calls that wait in the pool, how many may leave it, and by which way: where it can, a call goes to the queue that
// all workers share, otherwise by message.

import type { Call, CallGroup } from '../calls/call.js'
import type { Delivery } from '../calls/delivery.js'
import type { PoolCalls } from '../calls/pool-calls.js'
import type { SizeRange } from '../../executor/shared-options.js'
import type { WorkerSet } from '../workers/worker-set.js'
import { ByMessage } from './by-message.js'
import type { Retries } from './retries.js'
import type { WaitingCalls } from './waiting-calls.js'

/** Calls that a pool that holds calls dispatches beyond what its workers can run: enough that short ones follow each other. */
const AHEAD = 16

export interface DispatchParts {
  readonly group: CallGroup
  readonly calls: PoolCalls
  readonly waiting: WaitingCalls
  readonly retries: Retries
  readonly workers: WorkerSet
  readonly shared: Delivery | undefined
  /** Plans a look at what waits, and the sending of what was given. */
  readonly pumpLater: () => void
  /** One more call may run, as far as other groups are concerned. */
  readonly mayRun: () => boolean
}

/** As those of the pool. */
interface DispatchOptions {
  readonly size: SizeRange
  readonly holdsCalls?: boolean | undefined
  readonly isStrict?: boolean | undefined
  readonly concurrency?: number | undefined
}

export class Dispatch {
  /** Calls that may run at a time; undefined: what the workers may hold. */
  concurrency: number | undefined
  /** Places for workers. */
  lanes: number
  readonly #at: DispatchParts
  readonly #options: DispatchOptions
  readonly #shared: Delivery | undefined
  readonly #byMessage: ByMessage
  #holdsCalls: boolean
  /** Calls go to the shared queue. */
  #isSharing = false
  /** Before any worker was up a call has come that can only be sent to one that is: no other may pass it. */
  #isHeld = false

  constructor(parts: DispatchParts, options: DispatchOptions) {
    this.#at = parts
    this.lanes = options.size.max
    this.#shared = parts.shared
    this.#options = options
    this.concurrency = options.concurrency
    this.#holdsCalls = options.holdsCalls ?? false
    const laneOf = ({ options }: Call) => this.#laneOf(options.lane)
    this.#byMessage = new ByMessage({ ...parts, laneOf, mustWait: () => this.#isBehindQueue })
    this.#updateSharing(this.#holdsCalls) // so the first call need not pass through the pool's own queue
  }

  get hasUnsent(): boolean {
    return this.#byMessage.hasUnsent
  }

  /** Calls that have left the pool's own queue, and that no worker has. */
  get waiting(): number {
    return this.#shared?.waiting ?? 0
  }

  /** Sends what was given. */
  flush(): void {
    this.#byMessage.flush()
  }

  /** What a caller cannot wait for the microtasks to send. */
  sendNow(): void {
    this.#shared?.sendNow()
    this.#byMessage.sendNow()
  }

  /** From now on calls wait in the pool, where they can be passed. */
  hold(): void {
    this.#holdsCalls = true
    this.#updateSharing(true)
    this.takeBack()
  }

  /** A new call need not wait behind others. */
  isFirst({ options }: Call): boolean {
    return options.isFork || (this.#at.waiting.size === 0 && this.#hasPlace())
  }

  /** The calls that wait, each queue of them up to the first one that nobody can take now. */
  offerAll(): void {
    const { waiting, workers } = this.#at
    if (!this.#updateSharing(this.#holdsCalls)) this.takeBack()
    if (waiting.isEmpty) return
    if (workers.workerCount === 0 && waiting.size > 0) workers.grow(1)
    waiting.offer(this.#placeInTurn)
    if (!this.#isSharing) this.takeBack() // one of them has to be sent, once a worker is up
  }

  /** Takes the calls that no worker has back to the pool's own queue. */
  takeBack(): void {
    if (this.waiting > 0) this.requeue(this.#shared!.takeBack())
  }

  /** Puts calls back to the front of the pool's queue, in their order. */
  requeue(back: readonly Call[]): void {
    const { calls, waiting } = this.#at
    for (const call of [...back].reverse()) {
      if (call.isSettled) continue
      calls.unplace(call)
      waiting.unshift(call)
    }
  }

  /** Takes a call back that no worker has. False: one has it, or had it, and has not said so. */
  withdraw(call: Call): boolean {
    return this.#shared?.withdraw(call) ?? true
  }

  /** Its worker is gone. */
  forget(call: Call): void {
    this.#shared?.forget(call)
  }

  /** Of a pool that ends: all calls that have left its queue, and those that have started. */
  giveUp(): { readonly calls: readonly Call[]; readonly started: ReadonlySet<Call> } {
    const ways: Delivery[] = this.#shared ? [this.#byMessage, this.#shared] : [this.#byMessage]
    const all = ways.map((way) => way.giveUp())
    return {
      calls: all.flatMap(({ calls }) => calls),
      started: new Set(all.flatMap(({ started }) => started)),
    }
  }

  /**
   * Calls go to the shared queue only while somebody will take them from it. A worker that starts will: it finds its first call without
   * this thread. Until then only as long as all calls can go there, and none is to be passed. Returns whether they do.
   */
  #updateSharing(isPassing: boolean): boolean {
    const { isUp } = this.#at.workers
    if (isUp) this.#isHeld = false
    return (this.#isSharing = isUp || (!isPassing && !this.#isHeld && this.#at.workers.isServing))
  }

  readonly #placeInTurn = (call: Call): boolean =>
    (call.options.isFork || this.#hasPlace()) && this.place(call)

  /** One more of the calls that wait may leave the pool. */
  #hasPlace(): boolean {
    if (!this.#holdsCalls) return true
    const { group, waiting, workers, mayRun } = this.#at
    const taken = group.open - waiting.size
    if (this.#options.isStrict) return taken < (this.concurrency ?? workers.capacity) && mayRun()
    return taken - group.suspended < workers.places + AHEAD
  }

  /** False: nobody can take it now. */
  place(call: Call): boolean {
    const answer = this.#mayShare(call) ? this.#shared!.offer(call) : 'unfit'
    if (call.isSettled) return this.#drop(call) // by a getter among the arguments
    if (answer !== 'unfit') return answer === 'taken'
    if (this.#byMessage.offer(call) === 'taken') return true
    if (this.#isSharing && !this.#at.workers.isUp) [this.#isSharing, this.#isHeld] = [false, true]
    return false
  }

  /** A call that nobody waits for any more. If a worker has it, that is told when it says that it has started. */
  #drop(call: Call): true {
    this.withdraw(call)
    return true
  }

  /** Any worker may take it, and it passes none that has to go by message. */
  #mayShare(call: Call): boolean {
    if (!this.#shared || !this.#isSharing) return false
    const { needsMessage, lane } = call.options
    if (needsMessage || (lane !== undefined && this.#laneOf(lane) !== undefined)) return false
    if (this.#at.retries.isQuarantined(call)) return false
    // One worker runs calls in their order, so none may pass those that had to go by message; see #isBehindQueue.
    const { slots } = this.#at.workers
    return slots.length !== 1 || !slots[0]!.isBusy
  }

  /** One worker runs calls in their order: one that has to go by message waits until the others have left the queue. */
  get #isBehindQueue(): boolean {
    return this.lanes === 1 && this.waiting > 0
  }

  /** With one lane a call with a key is like any other, unless one worker takes over from another, or may do so while the call runs. */
  #laneOf(lane: number | undefined): number | undefined {
    const { slots, recycles } = this.#at.workers
    if (lane === undefined || (this.lanes === 1 && slots.length === 1 && !recycles)) return undefined
    return lane % this.lanes
  }
}

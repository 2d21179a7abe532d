// How a worker stops taking calls, and ends when it has done those that it has.
//
//   leaving --'retire'--> worker --'retired'--> takes none from the shared queue --> its last call ends --> end
//
// It leaves because the pool has others, or enough; or because it is spent: so many abandoned promises are open in it that a new
// worker is better; each holds memory, and maybe a connection. Some may settle yet: it leaves all the same.

import { startTimer } from '../../executor/timer.js'
import type { PoolTask } from '../calls/call.js'
import type { Channel } from './worker.js'
import type { SlotEvents } from './slot-events.js'
import type { SlotLoad } from './slot-load.js'

export interface Retiree {
  readonly state: 'starting' | 'up' | 'ending' | 'gone'
  readonly channel: Channel
  readonly load: SlotLoad
  readonly running: ReadonlyMap<number, PoolTask>
  /** Ends it gently: it has nothing left to do. */
  close(): void
  terminate(): void
}

export class Retirement {
  isLeaving = false
  /** It takes no calls from a shared queue, or there is none. */
  #isRetired: boolean
  /** Calls that may be why the worker is ended soon: those that are given to it now would be lost with it. */
  readonly #inGrace = new Set<PoolTask>()
  readonly #worker: Retiree
  readonly #tasksPerWorker: number

  constructor(worker: Retiree, tasksPerWorker: number, hasSharedQueue: boolean) {
    this.#worker = worker
    this.#tasksPerWorker = tasksPerWorker
    this.#isRetired = !hasSharedQueue
  }

  get isInGrace(): boolean {
    return this.#inGrace.size > 0
  }

  leave(): void {
    const { state } = this.#worker
    if (this.isLeaving || state === 'ending' || state === 'gone') return
    this.isLeaving = true
    if (state === 'up' && !this.#isRetired) this.#tellWorker()
    if (state === 'up' || this.#isRetired) this.#endWhenSpent()
  }

  /** It is needed after all. False: it has been told to leave, or was not to. */
  stay(): boolean {
    if (!this.isLeaving || this.#worker.state !== 'starting') return false
    this.isLeaving = false
    return true
  }

  /** It came up, perhaps after it was told to leave. */
  onUp(): void {
    if (this.isLeaving) this.#tellWorker()
  }

  onRetired(): void {
    this.#isRetired = true
    this.#endWhenSpent()
  }

  /** A call that nobody waits for any more has gracePeriod, from its start, to end by itself. */
  startGrace(task: PoolTask, events: Pick<SlotEvents<never>, 'onReplies' | 'onSpent'>): void {
    if (this.#worker.running.get(task.id) !== task) return // it has ended: nothing would take it out of #inGrace
    if (!task.delivery!.isWaiting) this.#inGrace.add(task)
    startTimer(task.terms.gracePeriod, () => {
      this.#inGrace.delete(task)
      const { running } = this.#worker
      if (running.get(task.id) !== task) return // the number may be another call's by now
      if (!task.delivery!.isWaiting) return this.#worker.terminate() // it blocks the others
      this.#abandon(task)
      if (this.#isSpent && !this.isLeaving) {
        this.leave()
        events.onSpent()
      }
      events.onReplies()
    })?.unref()
  }

  /** It does not block the worker. */
  onWaiting(task: PoolTask): void {
    this.#inGrace.delete(task)
  }

  onEnded(task: PoolTask): void {
    this.#inGrace.delete(task)
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
  #abandon(task: PoolTask): void {
    if (task.delivery!.isAbandoned) return
    this.#worker.load.abandon(task)
    if (!this.#isRetired) this.#worker.channel.send({ type: 'abandon', id: task.id })
    this.#endWhenSpent()
  }

  get #isSpent(): boolean {
    return this.#worker.load.abandoned >= this.#tasksPerWorker
  }

  #tellWorker(): void {
    this.#worker.channel.send({ type: 'retire' })
  }
}

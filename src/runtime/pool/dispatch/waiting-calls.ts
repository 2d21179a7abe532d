// The calls that no worker has yet: those that any worker may take, and by lane those that only its worker may take.
//
// A call that settles while it waits keeps its place in its queue until it comes to the front, and is not counted.

import type { PoolTask } from '../calls/call.js'
import { PriorityQueue } from '../../engine/priority-queue.js'
import type { Retries } from './retries.js'

export class WaitingCalls {
  /** Calls that wait and are not settled. */
  size = 0
  /** Calls that tasks have forked go first. */
  readonly #forks = new PriorityQueue<PoolTask>()
  readonly #any = new PriorityQueue<PoolTask>()
  readonly #lanes = new Map<number, PriorityQueue<PoolTask>>()
  /** How many lanes there are. */
  #laneCount: number

  /** Calls that wait for a worker of their own, while others go on. */
  readonly #suspects = new PriorityQueue<PoolTask>()
  readonly #retries: Retries

  constructor(laneCount: number, retries: Retries) {
    this.#laneCount = laneCount
    this.#retries = retries
  }

  /** Not even one that has settled is left in its queue. */
  get isEmpty(): boolean {
    return this.#any.isEmpty && this.#forks.isEmpty && this.#suspects.isEmpty && this.#lanes.size === 0
  }

  /** There are more lanes now, or fewer: distributes the calls anew. */
  setLanes(count: number): void {
    this.#laneCount = count
    const tasks: PoolTask[] = []
    for (const queue of this.#lanes.values())
      for (let task = queue.shift(); task; task = queue.shift()) tasks.push(task)
    this.#lanes.clear()
    for (const task of tasks) if (!task.isSettled) this.#queueOf(task).push(task, task.terms.priority)
  }

  push(task: PoolTask): void {
    this.#count(task)
    this.#queueOf(task).push(task, task.terms.priority)
  }

  /** Puts a call before the others. */
  unshift(task: PoolTask): void {
    this.#count(task)
    this.#queueOf(task).unshift(task, task.terms.priority)
  }

  /** It waits no longer: somebody has it, or it has settled. */
  forget(task: PoolTask): void {
    if (!task.isQueued) return
    task.isQueued = false
    this.size--
  }

  /** The call that has waited longest, of those of the lowest priority. */
  findOldest(): PoolTask | undefined {
    for (const queue of [this.#any, ...this.#lanes.values()]) {
      const task = queue.findOldest(({ isSettled }) => !isSettled)
      if (task) return task
    }
    return undefined
  }

  /** Offers all calls, each queue in its order up to the first one that is not taken: nobody passes another. */
  offer(take: (task: PoolTask) => boolean): void {
    this.#offerFrom(this.#forks, take)
    this.#offerFrom(this.#suspects, take)
    // Before the others, who can go to any worker: or those would leave no room in that of a lane.
    for (const queue of this.#lanes.values()) this.#offerFrom(queue, take)
    this.#offerFrom(this.#any, take)
  }

  /** The same for the calls of one lane. */
  offerLane(lane: number, take: (task: PoolTask) => boolean): void {
    const queue = this.#lanes.get(lane)
    if (queue) this.#offerFrom(queue, take)
  }

  #offerFrom(queue: PriorityQueue<PoolTask>, take: (task: PoolTask) => boolean): void {
    // Out of the queue first: to take a call may run code of its caller's (a getter), which makes further calls.
    for (let task = queue.shift(); task; task = queue.shift()) {
      if (!task.isSettled && !take(task)) return queue.putBack(task, task.terms.priority)
      this.forget(task)
    }
  }

  #count(task: PoolTask): void {
    task.isQueued = true
    this.size++
  }

  #queueOf(task: PoolTask): PriorityQueue<PoolTask> {
    const { lane, isFork } = task.terms
    if (isFork) return this.#forks
    if (this.#retries.isSuspect(task)) return this.#suspects
    if (lane === undefined) return this.#any
    const own = lane % this.#laneCount
    let queue = this.#lanes.get(own)
    if (!queue) this.#lanes.set(own, (queue = new PriorityQueue()))
    return queue
  }
}

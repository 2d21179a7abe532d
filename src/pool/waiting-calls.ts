// The calls that no worker has yet: those that any worker may take, and by lane those that only its worker may take.

import type { PoolTask } from './pool-task.js'
import { RingQueue } from './ring-queue.js'

export class WaitingCalls {
  readonly #any = new RingQueue<PoolTask>()
  readonly #lanes = new Map<number, RingQueue<PoolTask>>()

  push(task: PoolTask): void {
    this.#queueOf(task).push(task)
  }

  /** Puts a call before the others. */
  unshift(task: PoolTask): void {
    this.#queueOf(task).unshift(task)
  }

  /** Offers all calls, each queue in its order up to the first one that is not taken: nobody passes another. */
  offer(take: (task: PoolTask) => boolean): void {
    offerFrom(this.#any, take)
    for (const queue of this.#lanes.values()) offerFrom(queue, take)
  }

  /** The same for the calls of one lane. */
  offerLane(lane: number, take: (task: PoolTask) => boolean): void {
    const queue = this.#lanes.get(lane)
    if (queue) offerFrom(queue, take)
  }

  #queueOf({ terms: { lane } }: PoolTask): RingQueue<PoolTask> {
    if (lane === undefined) return this.#any
    let queue = this.#lanes.get(lane)
    if (!queue) this.#lanes.set(lane, (queue = new RingQueue()))
    return queue
  }
}

function offerFrom(queue: RingQueue<PoolTask>, take: (task: PoolTask) => boolean): void {
  for (let task = queue.peek(); task && take(task); task = queue.peek()) queue.shift()
}

// The calls that no worker has yet: those that any worker may take, and by lane those that only its worker may take.
//
// A call that settles while it waits keeps its place in its queue until it comes to the front, and is not counted.

import type { Call } from '../calls/call.js'
import { PriorityQueue } from '../../core/priority-queue.js'
import type { Retries } from './retries.js'

export class WaitingCalls {
  /** Calls that wait and are not settled. */
  size = 0
  /** Calls that tasks have forked go first. */
  readonly #forks = new PriorityQueue<Call>()
  readonly #any = new PriorityQueue<Call>()
  readonly #lanes = new Map<number, PriorityQueue<Call>>()
  /** How many lanes there are. */
  #laneCount: number

  /** Calls that wait for a worker of their own, while others go on. */
  readonly #quarantined = new PriorityQueue<Call>()
  readonly #retries: Retries

  constructor(laneCount: number, retries: Retries) {
    this.#laneCount = laneCount
    this.#retries = retries
  }

  /** Not even one that has settled is left in its queue. */
  get isEmpty(): boolean {
    return this.#any.isEmpty && this.#forks.isEmpty && this.#quarantined.isEmpty && this.#lanes.size === 0
  }

  /** There are more lanes now, or fewer: distributes the calls anew. */
  setLanes(count: number): void {
    this.#laneCount = count
    const calls: Call[] = []
    for (const queue of this.#lanes.values())
      for (let call = queue.shift(); call; call = queue.shift()) calls.push(call)
    this.#lanes.clear()
    for (const call of calls) if (!call.isSettled) this.#queueOf(call).push(call, call.options.priority)
  }

  push(call: Call): void {
    this.#count(call)
    this.#queueOf(call).push(call, call.options.priority)
  }

  /** Puts a call before the others. */
  unshift(call: Call): void {
    this.#count(call)
    this.#queueOf(call).unshift(call, call.options.priority)
  }

  /** It waits no longer: somebody has it, or it has settled. */
  forget(call: Call): void {
    if (!call.isQueued) return
    call.isQueued = false
    this.size--
  }

  /** The call that has waited longest, of those of the lowest priority. */
  findOldest(): Call | undefined {
    for (const queue of [this.#any, ...this.#lanes.values()]) {
      const call = queue.findOldest(({ isSettled }) => !isSettled)
      if (call) return call
    }
    return undefined
  }

  /** Offers all calls, each queue in its order up to the first one that is not taken: nobody passes another. */
  offer(take: (call: Call) => boolean): void {
    this.#offerFrom(this.#forks, take)
    this.#offerFrom(this.#quarantined, take)
    // Before the others, who can go to any worker: or those would leave no room in that of a lane.
    for (const queue of this.#lanes.values()) this.#offerFrom(queue, take)
    this.#offerFrom(this.#any, take)
  }

  /** Takes all calls out, or those of one lane: they wait no more. */
  takeAll(lane?: number): Call[] {
    const queue = lane === undefined ? undefined : this.#lanes.get(lane)
    const all: Call[] = []
    const take = (call: Call) => all.push(call) > 0
    if (lane === undefined) this.offer(take)
    else if (queue) this.#offerFrom(queue, take)
    return all
  }

  #offerFrom(queue: PriorityQueue<Call>, take: (call: Call) => boolean): void {
    // Out of the queue first: to take a call may run code of its caller's (a getter), which makes further calls.
    for (let call = queue.shift(); call; call = queue.shift()) {
      if (!call.isSettled && !take(call)) return queue.putBack(call, call.options.priority)
      this.forget(call)
    }
  }

  #count(call: Call): void {
    call.isQueued = true
    this.size++
  }

  #queueOf(call: Call): PriorityQueue<Call> {
    const { lane, isFork } = call.options
    if (isFork) return this.#forks
    if (this.#retries.isQuarantined(call)) return this.#quarantined
    if (lane === undefined) return this.#any
    const own = lane % this.#laneCount
    let queue = this.#lanes.get(own)
    if (!queue) this.#lanes.set(own, (queue = new PriorityQueue()))
    return queue
  }
}

// Which worker gets the next call by message: the one with the least work ahead of it, among those with room.
//
// What a worker takes from the shared queue by itself was never charged. Nobody knows how long it takes; a call that has run for a
// while is expected to take as long again.
//
// One that sleeps must be woken, which takes longer, also for the main thread, than many a call; and on two CPUs it may then wait for
// milliseconds behind a main thread that has work to do. So where it is known that the calls before a new one are done in no time, it
// follows them, and the other workers go on sleeping: 1 MB was moved there and back 100,000 times a second, not 45,000.

import type { TaskCost } from './task-cost.js'
import type { WorkerSlot } from './worker-slot.js'

/** Microseconds of work that count as none. */
const EQUAL_US = 30

/** Microseconds until a worker that sleeps has begun with a call, and for which the main thread is busy with waking it. */
const WAKE_US = 80

export interface Wish {
  /** Only the worker in this lane will do. */
  readonly lane?: number | undefined
  /** Only a worker that has nothing else will do. */
  readonly isAlone?: boolean
  /** A worker that is to become free for another call. */
  readonly reserved?: WorkerSlot | undefined
}

/** Undefined when no worker has room: the call stays in the pool's queue, where any worker can still take it. */
export function pickWorker(
  slots: readonly WorkerSlot[],
  cost: TaskCost,
  { lane, isAlone = false, reserved }: Wish = {},
): WorkerSlot | undefined {
  // One worker of a lane may be leaving while another takes over: the calls of a key would run side by side.
  if (
    lane !== undefined &&
    slots.some((slot) => slot.lane === lane && slot.isLeaving && slot.running.size > 0)
  )
    return undefined
  return leastLoaded(slots, cost, (slot) => {
    if (lane !== undefined && slot.lane !== lane) return false
    if (isAlone ? slot.running.size > slot.load.abandoned : slot === reserved) return false
    return slot.hasRoomFor(cost)
  })
}

/** For a call that a task has forked, and may wait for: tasksPerWorker does not hold it back. */
export function pickForkWorker(slots: readonly WorkerSlot[], cost: TaskCost): WorkerSlot | undefined {
  return leastLoaded(slots, cost, (slot) => slot.hasRoomFor(cost, true))
}

/** The first one, where several are equal. */
function leastLoaded(
  slots: readonly WorkerSlot[],
  cost: TaskCost,
  isAble: (slot: WorkerSlot) => boolean,
): WorkerSlot | undefined {
  let best: WorkerSlot | undefined
  let bestUs = 0
  for (const slot of slots) {
    if (!isAble(slot)) continue
    const us = aheadUs(slot, cost)
    if (best !== undefined && !isBetter(slot, best, { byUs: bestUs - us, cost })) continue
    best = slot
    bestUs = us
  }
  return best
}

/** `byUs`: by so much less lies before it. */
function isBetter(a: WorkerSlot, b: WorkerSlot, { byUs, cost }: { byUs: number; cost: TaskCost }): boolean {
  if (Math.abs(byUs) > EQUAL_US) return byUs > 0
  if (paceOf(a, cost) > 0) return a.running.size > b.running.size
  return a.running.size < b.running.size // what the messages cost is not known
}

/** Microseconds until it begins with a new call, as far as is known. `cost`: of that call, and likely of those before it. */
function aheadUs(slot: WorkerSlot, cost: TaskCost): number {
  const { load, view } = slot
  const { isAsleep, ownCallMs } = view
  if (isAsleep === undefined) return load.chargedUs
  const chargedUs = Math.max(load.chargedUs, load.busy * paceOf(slot, cost))
  // One that runs a call of its own comes after one that sleeps, even if that call has only begun.
  if (ownCallMs >= 0) return chargedUs + 1000 * ownCallMs + WAKE_US + EQUAL_US + 1
  if (load.busy === 0) return isAsleep ? WAKE_US : 0
  return Math.max(chargedUs, 1000 * load.silentMs)
}

/** Only threads with shared memory look for messages before they sleep; all others sleep after each. */
function paceOf({ view }: WorkerSlot, cost: TaskCost): number {
  return view.isAsleep === undefined ? 0 : cost.paceUs
}

// Which worker gets the next call by message: the one with the least work ahead of it, among those with room.
//
// What workers take from the shared queue by themselves is not in that sum, and nobody knows how long it takes. A worker that runs such a
// call comes after the others; when it is known to have run it for LONG_OWN_MS, the call rather waits in the pool.

import type { TaskCost } from './task-cost.js'
import type { WorkerSlot } from './worker-slot.js'

/**
 * Microseconds of work that count as none. What a worker spends on the messages themselves is not measured, so between
 * workers that differ by less the number of calls says more.
 */
const EQUAL_US = 20

/** Milliseconds: well above a round trip, well below what a caller notices. */
const LONG_OWN_MS = 5

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
  const isOnly = lane !== undefined || slots.length === 1
  let best: WorkerSlot | undefined
  let second: WorkerSlot | undefined
  let isSoonFree = false
  for (const slot of slots) {
    if (lane !== undefined && slot.lane !== lane) continue
    if (isAlone ? slot.running.size > slot.load.abandoned : slot === reserved) continue
    const ownMs = isOnly ? -1 : slot.view.ownCallMs
    if (!slot.hasRoomFor(cost)) isSoonFree ||= ownMs < 0 && slot.load.busy > 0
    else if (ownMs < 0) best = lessLoaded(best, slot)
    else if (ownMs < LONG_OWN_MS) second = lessLoaded(second, slot)
  }
  return best ?? (isSoonFree ? undefined : second)
}

/** For a call that a task has forked, and may wait for: tasksPerWorker does not hold it back. */
export function pickForkWorker(slots: readonly WorkerSlot[], cost: TaskCost): WorkerSlot | undefined {
  let best: WorkerSlot | undefined
  for (const slot of slots) if (slot.hasRoomFor(cost, true)) best = lessLoaded(best, slot)
  return best
}

/** The first one, where they are equal. */
function lessLoaded(a: WorkerSlot | undefined, b: WorkerSlot): WorkerSlot {
  if (!a) return b
  const difference = b.load.chargedUs - a.load.chargedUs
  if (Math.abs(difference) > EQUAL_US) return difference < 0 ? b : a
  return b.running.size < a.running.size ? b : a
}

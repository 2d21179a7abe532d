// Which worker gets the next call: the one with the least work ahead of it, among those with room.

import type { TaskCost } from './task-cost.js'
import type { WorkerSlot } from './worker-slot.js'

/**
 * Microseconds of work that count as none. What a worker spends on the messages themselves is not measured, so between
 * workers that differ by less the number of calls says more.
 */
const EQUAL_US = 20

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
  let best: WorkerSlot | undefined
  for (const slot of slots) {
    if (lane !== undefined && slot.lane !== lane) continue
    if (isAlone ? slot.running.size > slot.load.abandoned : slot === reserved) continue
    if (!slot.hasRoomFor(cost)) continue
    if (!best || isLessLoaded(slot, best)) best = slot
  }
  return best
}

/** For a call that a task has forked, and may wait for: tasksPerWorker does not hold it back. */
export function pickForkWorker(slots: readonly WorkerSlot[], cost: TaskCost): WorkerSlot | undefined {
  let best: WorkerSlot | undefined
  for (const slot of slots)
    if (slot.hasRoomFor(cost, true) && (!best || isLessLoaded(slot, best))) best = slot
  return best
}

function isLessLoaded(a: WorkerSlot, b: WorkerSlot): boolean {
  const difference = a.load.chargedUs - b.load.chargedUs
  if (Math.abs(difference) > EQUAL_US) return difference < 0
  return a.running.size < b.running.size
}

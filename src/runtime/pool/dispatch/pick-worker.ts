// Which worker gets the next call by message: the one with the least work ahead of it, among those with room.
//
// What a worker takes from the shared queue by itself was never charged. Nobody knows how long it takes; a call that has run for a
// while is expected to take as long again.

import type { SlotLoad } from '../workers/slot-load.js'
import type { TaskCost } from '../calls/task-cost.js'
import type { WorkerSlot } from '../workers/worker-slot.js'

/**
 * Microseconds of work that count as none. What a worker spends on the messages themselves is not measured, so between
 * workers that differ by less the number of calls says more.
 */
const EQUAL_US = 20

export interface Constraints {
  /** Only the worker in this lane will do. */
  readonly lane?: number | undefined
  /** Not one that another is about to replace. */
  readonly isForAll?: boolean
  /** Only a worker that has nothing else will do. */
  readonly isAlone?: boolean
  /** A worker that is to become free for another call. */
  readonly reserved?: WorkerSlot | undefined
}

/** Undefined when no worker has room: the call stays in the pool's queue, where any worker can still take it. */
export function pickWorker(
  slots: readonly WorkerSlot[],
  cost: TaskCost,
  constraints?: Constraints, // most calls have none, and V8 compiles no code that was never run
): WorkerSlot | undefined {
  if (constraints?.lane !== undefined && !constraints.isForAll && isChangingHands(constraints.lane, slots))
    return undefined
  let best: WorkerSlot | undefined
  for (let i = 0; i < slots.length; i++) {
    const slot = slots[i]!
    if (constraints && !meets(slot, slots, constraints)) continue
    if (slot.hasRoomFor(cost)) best = lessLoaded(best, slot, cost)
  }
  return best
}

function meets(
  slot: WorkerSlot,
  slots: readonly WorkerSlot[],
  { lane, isForAll = false, isAlone = false, reserved }: Constraints,
): boolean {
  if (lane !== undefined && slot.lane !== lane) return false
  if (isForAll && slot.needsRecycle && hasSuccessor(slot, slots)) return false
  return isAlone ? slot.running.size <= slot.load.abandoned : slot !== reserved
}

/** One worker of a lane leaves, or ends, while another takes over: the calls of a key would run side by side. */
function isChangingHands(lane: number, slots: readonly WorkerSlot[]): boolean {
  return slots.some(
    (slot) => slot.lane === lane && (slot.isLeaving || slot.state === 'ending') && slot.running.size > 0,
  )
}

function hasSuccessor({ lane }: WorkerSlot, slots: readonly WorkerSlot[]): boolean {
  return slots.some(
    (slot) => slot.lane === lane && !slot.needsRecycle && !slot.isLeaving && slot.state !== 'gone',
  )
}

/**
 * For a call that a task has forked, and may wait for: tasksPerWorker does not hold it back. A fresh worker for each call is had where
 * there is one.
 */
export function pickForkWorker(slots: readonly WorkerSlot[], cost: TaskCost): WorkerSlot | undefined {
  let best: WorkerSlot | undefined
  let usedUp: WorkerSlot | undefined
  for (const slot of slots) {
    if (!slot.hasRoomFor(cost, true)) continue
    if (slot.isUsedUp) usedUp = lessLoaded(usedUp, slot, cost)
    else best = lessLoaded(best, slot, cost)
  }
  return best ?? usedUp
}

/** The first one, where they are equal. Calls of an asynchronous function may all compute after what they wait for, so their number says more. */
function lessLoaded(a: WorkerSlot | undefined, b: WorkerSlot, { isAsync }: TaskCost): WorkerSlot {
  if (!a) return b
  if (isAsync && openIn(a) !== openIn(b)) return openIn(b) < openIn(a) ? b : a
  const difference = moreUs(b, a)
  if (Math.abs(difference) > EQUAL_US) return difference < 0 ? b : a
  return b.running.size < a.running.size ? b : a
}

function openIn({ running, load }: WorkerSlot): number {
  return running.size - load.abandoned
}

/** Microseconds of work that lie before `a` more than before `b`. */
function moreUs(a: WorkerSlot, b: WorkerSlot): number {
  const aMs = a.view.ownCallMs
  const bMs = b.view.ownCallMs
  if (aMs < 0 && bMs < 0) return a.load.chargedUs - b.load.chargedUs
  return aheadUs(a.load, aMs) - aheadUs(b.load, bMs)
}

/** A worker that runs a call of its own comes after one that runs nothing, even if that call has only begun. */
function aheadUs({ chargedUs, silentMs }: SlotLoad, ownMs: number): number {
  return ownMs < 0 ? Math.max(chargedUs, 1000 * silentMs) : chargedUs + 1000 * ownMs + EQUAL_US + 1
}

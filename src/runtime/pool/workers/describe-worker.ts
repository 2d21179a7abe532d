// What stats() and inspect() say of one worker.

import type { WorkerStats } from '../../executor/executor.js'
import { shownName } from '../../task/task-function.js'
import type { Call } from '../calls/call.js'
import type { WorkerSlot } from './worker-slot.js'

const UNKNOWN = { osThreadId: null, cpu: null, heapBytes: null, rssBytes: null, eventLoopUtilization: null }

/** Milliseconds without a sign of life after which a worker counts as blocked. */
const BLOCKED_MS = 250

/** What the pool knows of its worker. */
export function describeWorker(slot: WorkerSlot): WorkerStats {
  const { running, answered, view } = slot
  const state = slot.state === 'up' ? stateOfUp(slot) : slot.state
  const { call, isListed } = currentCall(slot)
  return {
    ...view.identity,
    state: state === 'gone' ? 'ending' : state,
    task: call ? shownName(call.name) : null,
    running: running.size + (call && !isListed ? 1 : 0),
    completed: answered,
    startedAt: view.startedAt,
    ...UNKNOWN,
  }
}

/** One that leaves since it gives no sign of life is blocked first of all. */
function stateOfUp({ isLeaving, life }: WorkerSlot): 'up' | 'leaving' | 'blocked' {
  if (life.silentMs >= BLOCKED_MS) return 'blocked'
  return isLeaving ? 'leaving' : 'up'
}

/** With what the workers themselves say; without those that end meanwhile. */
export async function inspectWorkers(slots: readonly WorkerSlot[]): Promise<readonly WorkerStats[]> {
  const all = await Promise.all(slots.map(inspectWorker))
  return all.filter((worker) => worker !== undefined)
}

/** Undefined: it has ended meanwhile. */
async function inspectWorker(slot: WorkerSlot): Promise<WorkerStats | undefined> {
  if (slot.state !== 'up') return slot.state === 'gone' ? undefined : describeWorker(slot)
  const report = await slot.view.reports.ask()
  if (hasEnded(slot)) return undefined
  const stats = describeWorker(slot)
  if (report) return { ...stats, ...report }
  return stats.state === 'ending' ? stats : { ...stats, state: 'blocked' }
}

/** The call that keeps its thread busy: of those that were sent, the first that does not wait on a promise. */
function currentCall(slot: WorkerSlot): { call?: Call | undefined; isListed: boolean } {
  const shared = slot.view.currentCall
  if (shared && !shared.placement?.isWaiting) return { call: shared, isListed: slot.running.has(shared.id) }
  if (slot.state === 'up')
    for (const call of slot.running.values())
      if (!call.placement!.isWaiting && call.position >= 0) return { call, isListed: true }
  return { isListed: false }
}

/** A function, so that the compiler does not take the state of before for that of now. */
const hasEnded = (slot: WorkerSlot) => slot.state === 'gone'

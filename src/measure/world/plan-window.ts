// How long a window of a cell is, and how its calls are counted: by what the task does and how long a call takes.

import type { Scout } from '../results/result.js'
import type { WindowPlan } from '../trial/count-window.js'
import { PERIOD_MS } from '../trial/quota-period.js'
import type { CellPlan, WarmUp } from '../trial/trial.js'

/** Short enough that the machine has one speed within a window and its neighbours: it was seen to change every 50 ms to 2 s. */
const SHORTEST = { leadMs: 8, countMs: 40 }

/** Through a store: jobs come and go in batches, some milliseconds apart. */
const SHORTEST_OF_QUEUE = { leadMs: 50, countMs: 200 }

/** A window holds so many calls of a worker, after a lead of so many. */
const CALLS = { lead: 1.5, count: 4 }

/** Calls that begin together in one thread end together. Of such a bunch a quota's freezes hit one part: a window holds so many of them. */
const BUNCHES = 3

/** In ms: a quota is used up so much later than its CPU time says, since work begins, and the kernel looks only at its ticks. */
const QUOTA_MARGIN_MS = 8

/** Candidates whose calls are longer, and hardly use a CPU, can be measured at the same time. */
const TOGETHER_US = 100_000

/** From so long calls on each lane makes one. */
const LONG_MS = 60

/** Below this share of CPU time in its run time, a call mostly waits. */
const WAITING = 0.5

/** Open calls for each worker: two keep it busy, more amortise the message of short calls. Work that lies ready, in us of a worker. */
const READY = { least: 2, most: 64, us: 1000 }

export function isolatesOf(cell: CellPlan): number {
  return hasWorkers(cell) ? cell.size : 1
}

function hasWorkers(cell: CellPlan): boolean {
  return isPool(cell) || cell.executor === 'bullmq'
}

function isPool({ executor }: CellPlan): boolean {
  return executor === 'threads' || executor === 'processes'
}

export function isWaiting({ cpuShare }: Scout): boolean {
  return cpuShare < WAITING
}

/** A call that waits can overlap with others in one thread; so can work that libuv's pool does for it. */
export function canOverlap(scout: Scout): boolean {
  return isWaiting(scout) || scout.uvWork.length > 0
}

/** Whether all candidates can be measured at the same time: their calls are long, and wait for something else than a CPU. */
export function areTogether({ callUs, cpuShare }: Scout): boolean {
  return callUs > TOGETHER_US && cpuShare < 0.02
}

/**
 * Under a quota a window is whole periods long, and its lead uses up the quota of one: only then each period begins as all later ones do. The
 * kernel takes back what a period has used beyond its quota (up to a tick of 4 ms on each CPU) from the next one; after a rest there is nothing
 * to take back, and the first period gives 7 % too much at 0.6 CPU, and 16 % at 0.25.
 *
 * @param hasQuota the kernel freezes the processes of the cell when their CPU time of a period is used up
 */
export function planWindow(cell: CellPlan, scout: Scout, warm: WarmUp | null, hasQuota: boolean): WindowPlan {
  const open = openCalls(cell, scout, warm)
  const isolates = isolatesOf(cell)
  const callMs = callTimeMs(cell, scout, warm)
  if (callMs > LONG_MS) return { kind: 'laps', open: canOverlap(scout) ? open : Math.min(open, isolates) }
  const callsMs = CALLS.count * (isWaiting(scout) ? callMs : callMs / isolates)
  const shortest = cell.executor === 'bullmq' ? SHORTEST_OF_QUEUE : SHORTEST
  const countMs = Math.max(shortest.countMs, callsMs)
  if (!hasQuota)
    return { kind: 'span', open, countMs, stepMs: 0, leadMs: Math.max(shortest.leadMs, CALLS.lead * callMs) }
  const bunchMs = hasWorkers(cell) || canOverlap(scout) ? 0 : open * callMs
  return {
    kind: 'span',
    open,
    stepMs: PERIOD_MS,
    leadMs: PERIOD_MS * Math.min(1, cell.cpus) + QUOTA_MARGIN_MS,
    countMs: PERIOD_MS * Math.ceil(Math.max(countMs, BUNCHES * bunchMs) / PERIOD_MS),
  }
}

/** About how long a window takes, for whoever waits for it. */
export function expectedMs(plan: WindowPlan, cell: CellPlan, scout: Scout, warm: WarmUp | null): number {
  const callMs = callTimeMs(cell, scout, warm)
  // Until the calls have ended that are open at its beginning, and at its end.
  const openMs = canOverlap(scout) ? 2 * callMs : Math.ceil(plan.open / isolatesOf(cell)) * callMs
  return openMs + (plan.kind === 'laps' ? callMs : Math.max(openMs, plan.leadMs + plan.stepMs) + plan.countMs)
}

/** Time of one call on its worker. A cell that computes on few CPUs takes longer. */
function callTimeMs(cell: CellPlan, scout: Scout, warm: WarmUp | null): number {
  const us = isWaiting(scout) || warm === null ? scout.callUs : warm.cpuUs
  return us / 1000 / Math.min(1, cell.cpus / isolatesOf(cell))
}

/** Those that were planned follow the cost of a call inline; one that takes 30 ms on a thread needs no 64 though it takes 18 us there. */
function openCalls(cell: CellPlan, scout: Scout, warm: WarmUp | null): number {
  if (!isPool(cell) || warm === null || canOverlap(scout)) return cell.inFlight
  const ready = Math.ceil(READY.us / Math.max(0.01, warm.cpuUs))
  return Math.min(cell.inFlight, cell.size * Math.min(READY.most, Math.max(READY.least, ready)))
}

// How long a window of a cell is, and how its calls are counted: by what the task does and how long a call takes.

import type { Scout } from '../results/result.js'
import type { WindowPlan } from '../trial/count-window.js'
import { PERIOD_MS } from '../trial/quota-period.js'
import type { CellPlan, WarmUp } from '../trial/trial.js'

/** Short enough that the machine has one speed within a window and its neighbours: it was seen to change every 50 ms to 2 s. */
const SHORTEST = { leadMs: 8, countMs: 40 }

/** A window holds so many calls, after a lead of so many. */
const CALLS = { lead: 1.5, count: 4 }

/** Candidates whose calls are longer, and hardly use a CPU, can be measured at the same time. */
const TOGETHER_US = 100_000

/** From so long calls on each lane makes one. */
const LONG_MS = 60

/** Calls that are open together may end together: a window holds each place's call so often. */
const GENERATIONS = 2

/** Below this share of CPU time in its run time, a call mostly waits. */
const WAITING = 0.5

/** Open calls for each worker: two keep it busy, more amortise the message of short calls. Work that lies ready, in us of a worker. */
const READY = { least: 2, most: 64, us: 1000 }

export function isolatesOf({ executor, size }: CellPlan): number {
  return executor === 'threads' || executor === 'processes' ? size : 1
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

/** Calls of this cell are open together in one thread. */
function overlaps(cell: CellPlan, scout: Scout): boolean {
  const isPool = cell.executor === 'threads' || cell.executor === 'processes'
  return canOverlap(scout) || (!isPool && cell.inFlight > 1)
}

/** @param hasQuota the kernel freezes the processes of the cell when their CPU time of a period is used up */
export function planWindow(cell: CellPlan, scout: Scout, warm: WarmUp | null, hasQuota: boolean): WindowPlan {
  const open = openCalls(cell, scout, warm)
  const isolates = isolatesOf(cell)
  const callMs = callTimeMs(cell, scout, warm)
  if (callMs > LONG_MS) return { edges: 'laps', open: canOverlap(scout) ? open : Math.min(open, isolates) }
  const betweenMs = isWaiting(scout) ? callMs : callMs / isolates
  const countMs = Math.max(SHORTEST.countMs, CALLS.count * betweenMs)
  return {
    open,
    edges: overlaps(cell, scout) ? 'calls' : 'parts',
    leadMs: hasQuota ? PERIOD_MS : Math.max(SHORTEST.leadMs, CALLS.lead * callMs),
    countMs: hasQuota ? PERIOD_MS * Math.ceil(countMs / PERIOD_MS) : countMs,
    fewestCalls: overlaps(cell, scout) ? Math.max(CALLS.count, GENERATIONS * open) : 1,
  }
}

/** About how long a window takes, for whoever waits for it. */
export function expectedMs(plan: WindowPlan, cell: CellPlan, scout: Scout, warm: WarmUp | null): number {
  const callMs = callTimeMs(cell, scout, warm)
  const perWorker = Math.ceil(plan.open / isolatesOf(cell))
  const drainMs = canOverlap(scout) ? 2 * callMs : perWorker * callMs
  return drainMs + (plan.edges === 'laps' ? callMs : plan.leadMs + plan.countMs)
}

/** Time of one call on its worker. A cell that computes on few CPUs takes longer. */
function callTimeMs(cell: CellPlan, scout: Scout, warm: WarmUp | null): number {
  const us = isWaiting(scout) || warm === null ? scout.callUs : warm.cpuUs
  return us / 1000 / Math.min(1, cell.cpus / isolatesOf(cell))
}

/** Those that were planned follow the cost of a call inline; one that takes 30 ms on a thread needs no 64 though it takes 18 us there. */
function openCalls(cell: CellPlan, scout: Scout, warm: WarmUp | null): number {
  const isPool = cell.executor === 'threads' || cell.executor === 'processes'
  if (!isPool || warm === null || canOverlap(scout)) return cell.inFlight
  const ready = Math.ceil(READY.us / Math.max(0.01, warm.cpuUs))
  return Math.min(cell.inFlight, cell.size * Math.min(READY.most, Math.max(READY.least, ready)))
}

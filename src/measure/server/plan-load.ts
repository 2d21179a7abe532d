// The load on a row: on so few connections that a request of a slow page does not wait for seconds behind others, and for so long that some
// of its answers fall into a window.
//
//   fast page:  32 connections, a lead of 100 ms, a window of 300 ms
//   slow page:  each request computes for 200 ms, so 32 of them would wait for 6.4 s, and be computed for as long after the window, too
//
// Rows may differ in their connections: one that has fewer than were asked for is saturated; with more, requests would only wait for longer.
// Where nobody knows how much of an answer is waiting, all rows have equally many.

import type { Random } from '../stats/random.js'
import type { Saturation, SaturationPlan, ServerRow } from './server-trial.js'

/** Milliseconds before a window, and of one. The second is whole periods of a quota. */
const LEAD_MS = 100
const COUNT_MS = 300
/** A page is slow where fewer answers than these are expected in such a window; a window of its own is long enough for the second. */
const MANY_ANSWERS = 50
const SLOW_ANSWERS = 4
/** Milliseconds of work that wait for whatever computes, beyond what keeps it busy. */
const QUEUE_MS = 200
/** Answers that take so long come all at once, unless their connections begin one after the other. */
const AT_ONCE_MS = 10
/** A quota of the kernel has periods of so many milliseconds. */
const PERIOD_MS = 100
/** While it warms up; with more instances one for each. */
const WARM_CONNECTIONS = 8
const WARM_SPREAD = 0.25
/** A row that uses so many times as many CPUs as it has processes computes on threads, too. */
const ON_THREADS = 1.25

/** Of a row that warms up, of which only the time of its first answer is known. */
export function planWarmUp({ instances }: ServerRow, firstMs: number, countMs: number): SaturationPlan {
  const most = Math.max(WARM_CONNECTIONS, instances)
  const connections = Math.min(most, Math.max(instances, Math.ceil((instances * QUEUE_MS) / firstMs)))
  return { connections, spreadMs: Math.min(firstMs, WARM_SPREAD * countMs), leadMs: 0, countMs }
}

/** What is known of a row before its first window. */
export interface FirstLook {
  readonly row: ServerRow
  /** Milliseconds of its first answer: later ones may be quicker. */
  readonly firstMs: number
  /** Null: there was no time for it. */
  readonly warm: Saturation | null
  /** Connections that were asked for: no row gets more. */
  readonly most: number
  /** Connections of every row where nobody knows what an answer computes. */
  readonly shared: number
}

/** @param width what of the row computes at a time: its processes, or threads of them too */
export function planLoad(
  { row, firstMs, warm, most, shared }: FirstLook,
  width = row.instances,
): SaturationPlan {
  const cpuMs = warm?.cpuMs ?? null
  const aloneMs = Math.min(firstMs, warm?.answerMs ?? Infinity)
  const atATime = Math.min(width, row.cpus)
  const answerOn = (connections: number) => Math.max(aloneMs, (connections * (cpuMs ?? aloneMs)) / atATime)
  if ((COUNT_MS * most) / answerOn(most) >= MANY_ANSWERS) {
    const spreadMs = aloneMs > AT_ONCE_MS ? aloneMs : 0
    return { connections: most, spreadMs, leadMs: Math.max(LEAD_MS, spreadMs), countMs: COUNT_MS }
  }
  const enough = cpuMs === null ? shared : Math.ceil((width * (QUEUE_MS + aloneMs)) / cpuMs)
  const connections = Math.min(most, Math.max(enough, 2 * width))
  const answerMs = answerOn(connections)
  return {
    connections,
    spreadMs: answerMs,
    leadMs: Math.max(LEAD_MS, answerMs),
    countMs: Math.max(COUNT_MS, wholePeriods((SLOW_ANSWERS * answerMs) / connections)),
  }
}

/** Null: the plan keeps it busy. Where it computes on threads, more connections are needed for that. */
export function planWider(look: FirstLook, plan: SaturationPlan, seen: Saturation): SaturationPlan | null {
  const { row, most } = look
  const isNarrow = row.instances < Math.ceil(row.cpus) && plan.connections < most
  const isOnThreads = (seen.serverCpus ?? 0) > ON_THREADS * row.instances
  const wider = isNarrow && isOnThreads ? planLoad(look, Math.ceil(row.cpus)) : plan
  return wider.connections > plan.connections ? wider : null
}

/**
 * The next window. Slow answers come in a rhythm: by chance, each window begins elsewhere in it.
 *
 * @param leastMs of its lead
 */
export function planSaturationWindow(plan: SaturationPlan, leastMs: number, random: Random): SaturationPlan {
  const isRhythmic = 1.5 * plan.spreadMs > plan.leadMs
  const leadMs = isRhythmic ? Math.max(plan.leadMs, plan.spreadMs * (1 + random() / 2)) : plan.leadMs
  return { ...plan, leadMs: Math.max(leastMs, leadMs) }
}

/** Milliseconds that a window takes about, with its lead and the answers that are under way at its end. */
export function windowMs({ leadMs, countMs, spreadMs }: SaturationPlan): number {
  return leadMs + countMs + spreadMs
}

function wholePeriods(ms: number): number {
  return PERIOD_MS * Math.ceil(ms / PERIOD_MS)
}

// The load on a row: on so few connections that a request of a slow page does not wait for seconds behind others, and for so long that some
// of its answers fall into a window.
//
//   fast page:  32 connections, a lead of 100 ms, a window of 300 ms
//   slow page:  each request computes for 200 ms, so 32 of them would wait for 6.4 s, and be computed for as long after the window, too
//
// Rows may differ in their connections: one that has fewer than were asked for is saturated; with more, requests would only wait for longer.

import type { Random } from '../stats/random.js'
import type { Saturation, SaturationPlan, ServerRow } from './server-trial.js'

/** Milliseconds before a window, and of one. The second is whole periods of a quota. */
const FAST = { spreadMs: 0, leadMs: 100, countMs: 300 }
/** A page is slow where fewer answers than these are expected in such a window; a window of its own is long enough for the second. */
const MANY_ANSWERS = 50
const SLOW_ANSWERS = 4
/** Milliseconds of work that wait for each process, beyond what keeps it busy. */
const QUEUE_MS = 200
/** A quota of the kernel has periods of so many milliseconds. */
const PERIOD_MS = 100
/** While it warms up; with more instances one for each. */
const WARM_CONNECTIONS = 8
const WARM_SPREAD = 0.25

/** What was seen of a row while it warmed up. */
export interface Warmth {
  readonly seen: Saturation
  readonly connections: number
}

/** Of a row that warms up, of which only the time of its first answer is known. */
export function planWarmUp({ instances }: ServerRow, firstMs: number, countMs: number): SaturationPlan {
  const most = Math.max(WARM_CONNECTIONS, instances)
  const connections = Math.min(most, Math.max(instances, Math.ceil((instances * QUEUE_MS) / firstMs)))
  return { connections, spreadMs: Math.min(firstMs, WARM_SPREAD * countMs), leadMs: 0, countMs }
}

/**
 * @param most connections, as many as were asked for
 * @param firstMs of its first answer: later ones may be quicker
 */
export function planLoad(
  { instances, cpus }: ServerRow,
  most: number,
  firstMs: number,
  warm: Warmth | null,
): SaturationPlan {
  const rate = (warm?.seen.throughput ?? 0) / 1000 // per ms
  // Little's law: as many connections are busy as answers come per ms, times the ms that one takes.
  const aloneMs = warm && rate > 0 ? Math.min(firstMs, warm.connections / rate) : firstMs
  const busyCpus = warm?.seen.serverCpus ?? null
  const cpuMs = rate > 0 && busyCpus !== null ? busyCpus / rate : aloneMs
  const answerOn = (connections: number) =>
    Math.max(aloneMs, (connections * cpuMs) / Math.min(instances, cpus))
  if ((FAST.countMs * most) / answerOn(most) >= MANY_ANSWERS) return { connections: most, ...FAST }
  const enough = Math.ceil((instances * (QUEUE_MS + aloneMs)) / cpuMs)
  const connections = Math.min(most, Math.max(enough, 2 * instances))
  const answerMs = answerOn(connections)
  return {
    connections,
    spreadMs: answerMs,
    leadMs: Math.max(FAST.leadMs, answerMs),
    countMs: Math.max(FAST.countMs, wholePeriods((SLOW_ANSWERS * answerMs) / connections)),
  }
}

/**
 * The next window. Slow answers come in a rhythm: by chance, each window begins elsewhere in it.
 *
 * @param leastMs of its lead
 */
export function planWindow(plan: SaturationPlan, leastMs: number, random: Random): SaturationPlan {
  const leadMs = plan.spreadMs > 0 ? Math.max(plan.leadMs, plan.spreadMs * (1 + random() / 2)) : plan.leadMs
  return { ...plan, leadMs: Math.max(leastMs, leadMs) }
}

function wholePeriods(ms: number): number {
  return PERIOD_MS * Math.ceil(ms / PERIOD_MS)
}

// Calls that are due at fixed times, whatever the executor does: how long their callers wait, from when each was due.

import { Histogram } from '../../primitives/histogram.js'
import type { LaneLoad } from './run-lanes.js'

/**
 * Timers of Node are exact to a millisecond. A call that is made within one of its due time counts from its making, or half a
 * millisecond of the timer would be in every latency; of what is later all but this one millisecond counts.
 */
const TIMER_MS = 1

export interface DuePlan {
  /** Calls per second. */
  readonly rate: number
  readonly ms: number
}

export interface DueTimes {
  /** In ms. Of calls that were still open when time was up: so long they had waited by then. */
  readonly latency: Histogram
  readonly failed: number
}

/** Resolves when all calls have ended, or as long again after the last of them was due. */
export async function makeDueCalls(load: LaneLoad, { rate, ms }: DuePlan): Promise<DueTimes> {
  const latency = new Histogram()
  const open = new Map<number, number>() // number of a call -> since when it waits
  let failed = 0
  const started = performance.now()
  const count = Math.max(1, Math.floor((rate * ms) / 1000))
  const make = (index: number, due: number) => {
    const from = Math.min(performance.now(), due + TIMER_MS)
    open.set(index, from)
    const end = (isFailed: boolean) => {
      if (!open.delete(index)) return // it was given up
      latency.record(Math.max(1e-6, performance.now() - from))
      if (isFailed) failed++
    }
    return load.call(index).then(
      () => end(false),
      () => end(true),
    )
  }
  const calls: Promise<void>[] = []
  while (calls.length < count) {
    const due = started + (1000 * calls.length) / rate
    const wait = due - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    // Also those that are late let the loop turn: a caller of a service comes through it.
    else await new Promise((resolve) => setImmediate(resolve))
    if (performance.now() - started > 2 * ms) break // far behind: what is due now waits as long as those that are open
    calls.push(make(calls.length, due))
  }
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise((resolve) => (timer = setTimeout(resolve, ms)))
  await Promise.race([Promise.all(calls), patience])
  clearTimeout(timer)
  for (const from of open.values()) latency.record(performance.now() - from)
  for (let index = calls.length; index < count; index++)
    latency.record(performance.now() - started - (1000 * index) / rate)
  open.clear()
  return { latency, failed }
}

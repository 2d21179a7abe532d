// What the event loop would gain if a task moved to a thread, or why that cannot be told.
//
//   saved = calls/s * (d - o)     d: time of a call in the event loop, o: what the way to a thread and back takes it, of calls apart

import type { DoctorFunction, DoctorPrediction } from '../results/doctor-result.js'
import type { Way } from './proof/measure-way.js'

/** What the windows showed of the app and of the machine. Shares are from 0 to 1. */
export interface Windows {
  /** Of the event loop, while nothing else looked at it, and while it was profiled. */
  readonly busy: number
  readonly busyProfiled: number
  readonly profiledSeconds: number
  readonly requestsPerSecond: number
  /** Of the time, the main thread was ready to run and had no CPU. */
  readonly waited: number
  /** Of the CPUs, what neither the app nor doctor used; null where nobody knows. */
  readonly others: number | null
}

/** A share of the others' at which the times of the app are those of the others too. */
const MAX_OTHERS = 0.15
const MAX_WAITED = 0.1
/** Between the two windows. */
const MAX_APART = 1.5
const MIN_CALLS = 100
/** How far a time of a call may be off: a profile gives part of it to others, and misses some. */
const TIME_RANGE = { low: 0.85, high: 1.1 }
/** In a busy app calls follow each other now and then, and there are other things that it has to go back to. */
const WAY_RANGE = { low: 0.7, high: 1.5 }
/** By so much the busy share of an app differs from one run to the next. */
const BUSY_RANGE = 0.03

/** @param way what the way to a thread and back takes the event loop; null: unknown */
export function predictMove(row: DoctorFunction, way: Way | null, windows: Windows): DoctorPrediction {
  const { busy, busyProfiled } = windows
  const prediction = { task: row.task?.name ?? row.name, busyNow: busy }
  const apart = way?.apart ?? null
  const unknown = (cannotTell: string) => ({ ...prediction, busyThen: null, cannotTell })
  if (way === null || apart === null || row.callMs === null)
    return unknown('what the way to a thread takes could not be measured')
  const cannotTell = gate(row, windows)
  if (cannotTell !== null) return unknown(cannotTell)
  // The profiler slows the app, by as much as its loop is busier.
  const callMs = row.callMs * Math.min(1, busy / busyProfiled)
  const savedShare = (time: number, wayMs: number) => (row.callsPerSecond! * (callMs * time - wayMs)) / 1000
  const least = leastWay(row, { together: way.together, apart }, windows)
  const low = busy * (1 - BUSY_RANGE) - savedShare(TIME_RANGE.high, WAY_RANGE.low * least)
  const high = busy * (1 + BUSY_RANGE) - savedShare(TIME_RANGE.low, WAY_RANGE.high * apart)
  const busyThen = { low: Math.max(0, Math.min(busy, low)), high: Math.max(0, Math.min(busy, high)) }
  return { ...prediction, busyThen, cannotTell: null }
}

/** Milliseconds of a call, where a request makes all of its calls at once: the loop wakes for one of them. */
function leastWay(
  { callsPerSecond }: DoctorFunction,
  way: { readonly together: number; readonly apart: number },
  { requestsPerSecond }: Windows,
): number {
  const callsOfRequest = Math.max(1, callsPerSecond! / requestsPerSecond)
  const together = Math.min(way.together, way.apart)
  return together + (way.apart - together) / callsOfRequest
}

function gate(row: DoctorFunction, windows: Windows): string | null {
  const { busy, busyProfiled, profiledSeconds, waited, others } = windows
  const percent = (share: number) => `${Math.round(share * 100)} %`
  const calls = Math.round((row.callsPerSecond ?? 0) * profiledSeconds)
  const apart = Math.max(busy, busyProfiled) / Math.min(busy, busyProfiled)
  if (others !== null && others > MAX_OTHERS) return `others used ${percent(others)} of the CPUs`
  if (waited > MAX_WAITED) return `the main thread waited ${percent(waited)} of the time for a CPU`
  if (calls < MIN_CALLS) return `${calls} calls were profiled, and ${MIN_CALLS} are needed`
  if (!(apart <= MAX_APART))
    return `the event loop was busy ${percent(busy)} of the time, and ${percent(busyProfiled)} while it was profiled`
  return null
}

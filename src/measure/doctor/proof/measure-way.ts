// What a call on a thread takes the event loop that makes it: sending its arguments, and taking its result.
//
// The function itself is not called: nothing keeps a thread of this process from what it does to the world. A stand-in takes the same arguments,
// computes for as long, and gives the result that the call gave in the app.

import { setTimeout as pause } from 'node:timers/promises'
import { deserialize } from 'node:v8'
import { threads } from '../../../runtime/threads/threads-executor.js'
import type { KeptCall } from '../agent/messages.js'
import { cpuTimes } from '../../machine/process-resources.js'

const WARM_UP_MS = 200
/** The least of several parts: what else the machine does makes each of them longer. */
const PARTS = 5
const PART_MS = 200
const MAX_CALLS = 50
/** The way of a longer call is the same. */
const MAX_CALL_MS = 50
/** Of calls with pauses between them: the least of several parts, too. */
const APART = { parts: 3, calls: 10, ms: 300 }
/** A loop that slept for longer is not slower. */
const MAX_PAUSE_MS = 20
const MIN_PAUSE_MS = 2
/** Of one call. */
const TIMEOUT_MS = 5000

/** Milliseconds of a call. */
export interface Way {
  /** CPU time, of calls that follow each other. */
  readonly together: number
  /**
   * For which it is busy, of calls at the app's pace: between them it falls asleep, and it is slower for a while after each time that it
   * wakes. Null: there was no time for it.
   */
  readonly apart: number | null
}

export interface WayPlan {
  readonly calls: readonly KeptCall[]
  /** Milliseconds of a call. */
  readonly callMs: number
  /** Between two calls of the app. Null: calls apart, which take most of the time of this measurement, are left out. */
  readonly pauseMs: number | null
}

const STAND_IN = new URL(
  `data:text/javascript,${encodeURIComponent(`
import { deserialize } from 'node:v8'
let results, callMs, number = 0
export function keep(texts, ms) {
  results = texts.map((text) => deserialize(Buffer.from(text, 'base64')))
  callMs = ms
}
export function give() {
  const until = performance.now() + callMs
  while (performance.now() < until);
  return results[number++ % results.length]
}`)}`,
)

/** @returns null where it cannot be measured, or where a call fails */
export async function measureWay({ calls, callMs, pauseMs }: WayPlan): Promise<Way | null> {
  const pool = threads(STAND_IN, { size: 1, name: 'doctor' })
  const args = calls.map(({ given }) => deserialize(Buffer.from(given, 'base64')) as unknown[])
  const call = (number: number) => pool.run('give', args[number % args.length], { timeout: TIMEOUT_MS })
  try {
    await pool.run('keep', [calls.map(({ result }) => result), Math.min(callMs, MAX_CALL_MS)])
    await callFor(WARM_UP_MS, call)
    const together = await callTogether(call)
    if (together === null) return null
    return { together, apart: pauseMs === null ? null : await callApart(call, pauseMs) }
  } catch {
    return null
  } finally {
    await pool.destroy()
  }
}

type Call = (number: number) => unknown

async function callTogether(call: Call): Promise<number | null> {
  let least = Infinity
  for (let part = 0; part < PARTS; part++) {
    const before = cpuTimes().main
    const made = await callFor(PART_MS, call)
    const after = cpuTimes().main
    if (before === null || after === null) return null
    least = Math.min(least, ((after - before) * 1000) / made)
  }
  return least
}

async function callApart(call: Call, pauseMs: number): Promise<number> {
  const ms = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, pauseMs))
  let [alone, withCalls] = [Infinity, Infinity]
  for (let part = 0; part < APART.parts; part++) {
    alone = Math.min(alone, await busyMs(() => {}, ms))
    withCalls = Math.min(withCalls, await busyMs(call, ms))
  }
  return Math.max(0, withCalls - alone)
}

/** Milliseconds for which the loop is busy with one of them, and with the timer before it. */
async function busyMs(call: Call, pauseMs: number): Promise<number> {
  const before = performance.eventLoopUtilization()
  const until = performance.now() + APART.ms
  let number = 0
  do {
    await pause(pauseMs)
    await call(number++)
  } while (number < APART.calls && performance.now() < until)
  return performance.eventLoopUtilization(before).active / number
}

/** How many there were. */
async function callFor(ms: number, call: Call): Promise<number> {
  const until = performance.now() + ms
  let number = 0
  do await call(number++)
  while (number < MAX_CALLS && performance.now() < until)
  return number
}

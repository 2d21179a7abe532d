// What a call on a thread takes the event loop that makes it: sending its arguments, and taking its result.

import { deserialize } from 'node:v8'
import { threads } from '../../../runtime/threads/threads-executor.js'
import type { KeptCall } from '../agent/messages.js'
import { cpuTimes } from '../../machine/process-resources.js'

const WARM_UP_MS = 200
/** The least of several parts: what else the machine does makes each of them longer. */
const PARTS = 5
const PART_MS = 200
const MOST_CALLS = 50
/** Of one call. */
const TIMEOUT_MS = 5000

/** Milliseconds; null where it cannot be measured, or where a call fails. */
export async function measureWay(
  module: URL,
  task: string,
  calls: readonly KeptCall[],
): Promise<number | null> {
  const pool = threads(module, { size: 1, name: 'doctor' })
  const args = calls.map(({ given }) => deserialize(Buffer.from(given, 'base64')) as unknown[])
  const call = (number: number) => pool.run(task, args[number % args.length], { timeout: TIMEOUT_MS })
  try {
    await callFor(WARM_UP_MS, call)
    let least: number | null = null
    for (let part = 0; part < PARTS; part++) {
      const before = cpuTimes().main
      const made = await callFor(PART_MS, call)
      const after = cpuTimes().main
      if (before === null || after === null) return null
      least = Math.min(least ?? Infinity, ((after - before) * 1000) / made)
    }
    return least
  } catch {
    return null
  } finally {
    await pool.destroy()
  }
}

/** How many there were. */
async function callFor(ms: number, call: (number: number) => Promise<unknown>): Promise<number> {
  const until = performance.now() + ms
  let number = 0
  do await call(number++)
  while (number < MOST_CALLS && performance.now() < until)
  return number
}

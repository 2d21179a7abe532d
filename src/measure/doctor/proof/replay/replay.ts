// Makes real calls again, twice, and compares what they give.

import { isDeepStrictEqual } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import type { ReplayJob, ReplayResult } from './replay-messages.js'

const ROUNDS = 2

type Task = (...args: unknown[]) => unknown

interface Outcome {
  readonly value?: unknown
  readonly error?: string
}

/** @param tried the first thing that a call did to the world; null: nothing */
export async function replay(
  { module, task, calls, redacted }: ReplayJob,
  tried: () => string | null = () => null,
): Promise<ReplayResult> {
  let run: Task
  try {
    run = ((await import(module)) as Record<string, Task>)[task]!
  } catch (error) {
    return { loadError: String(error) }
  }
  const given = calls.map((call) => call.given)
  const first = await callEach(run, given)
  // In the other order: what depends on the calls before then differs.
  const second = (await callEach(run, given.toReversed())).toReversed()
  const expected = calls.map(({ result }): Outcome => ({ value: valueOf(result) }))
  return {
    loadError: null,
    same: expected.filter((each, at) => isDeepStrictEqual(each, first[at]) && isDeepStrictEqual(each, second[at])).length, // prettier-ignore
    unsteady: first.filter((each, at) => !isDeepStrictEqual(each, second[at])).length,
    error: first.find(({ error }) => error !== undefined)?.error ?? null,
    ...(await timeBoth(run, given, redacted)),
    tried: tried(),
  }
}

async function callEach(run: Task, given: readonly string[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const each of given) outcomes.push(await outcomeOf(run, each))
  return outcomes
}

async function outcomeOf(run: Task, given: string): Promise<Outcome> {
  try {
    const value = await run(...(valueOf(given) as unknown[]))
    return { value: deserialize(serialize(value)) as unknown }
  } catch (error) {
    return {
      error:
        error instanceof Error && /^\w{1,60}$/.test(error.name) ? error.name : 'what it throws is no error',
    } // its message may hold the arguments
  }
}

/** In turns, so that what else the machine does falls on both. */
async function timeBoth(run: Task, given: readonly string[], redacted: readonly string[] | null) {
  const times: { ms: number[]; redactedMs: number[]; error: string | null } = { ms: [], redactedMs: [], error: null } // prettier-ignore
  const loop = performance.eventLoopUtilization()
  for (let round = 0; round < ROUNDS; round++)
    for (let at = 0; at < given.length; at++) {
      times.ms.push((await timeCall(run, given[at]!)).ms)
      if (redacted === null || times.error !== null) continue
      const { ms, error } = await timeCall(run, redacted[at]!)
      times.redactedMs.push(ms)
      times.error = error
    }
  const isUsable = redacted !== null && times.error === null
  const waiting = 1 - performance.eventLoopUtilization(loop).utilization
  return { ms: median(times.ms), waiting, redactedMs: isUsable ? median(times.redactedMs) : null, redactedError: times.error } // prettier-ignore
}

async function timeCall(run: Task, given: string): Promise<{ ms: number; error: string | null }> {
  const args = valueOf(given) as unknown[]
  const startedAt = performance.now()
  let error: string | null = null
  try {
    await run(...args)
  } catch (thrown) {
    error = String(thrown)
  }
  return { ms: performance.now() - startedAt, error }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}

function valueOf(text: string): unknown {
  return deserialize(Buffer.from(text, 'base64')) as unknown
}

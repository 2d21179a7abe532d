// Makes real calls again, twice, and compares what they give.

import { isDeepStrictEqual } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import type { KeptCall } from '../../agent/messages.js'
import { isError } from '../../../../primitives/any-realm.js'
import { compareStates } from '../../state/compare-states.js'
import type { StateGraph } from '../../state/state-graph.js'
import { walkState, type StateTools } from '../../state/walk-state.js'
import type { ReplayJob, ReplayResult, ReplayState, UnrunResult } from './replay-messages.js'
import { sameBut } from './same-but.js'
import type { ReplayClock } from './watch-clock.js'
import { watchLines } from './watch-lines.js'

const ROUNDS = 2
/** So many say how long a call takes. */
const TIMED_CALLS = 10
/** After that no second round is begun. */
const TIMING_MS = 1500
/** Of the clock, from one time that the calls are made to the next: another day, hour, minute and second. */
const LATER_MS = 90_061_123

/** What of a result is chance is seen by so many more. */
const MORE_ROUNDS = 3

type Task = (...args: unknown[]) => unknown

interface Outcome {
  readonly value?: unknown
  readonly error?: string
}

/** What a replay knows of the process in which it is. */
export interface ReplaySurroundings {
  /** The first thing that a call did to the world; null: nothing. */
  readonly tried: () => string | null
  readonly clock: ReplayClock
  readonly printed: () => boolean
  /** Null: what the task can reach cannot be looked at. */
  readonly tools: StateTools | null
}

const NOTHING_KNOWN: ReplaySurroundings = {
  ...{
    tried: () => null,
    clock: { setTo: () => {}, asked: () => [] },
    printed: () => false,
    tools: null,
  },
}

export async function replay(job: ReplayJob, around = NOTHING_KNOWN): Promise<ReplayResult> {
  const { calls, redacted } = job
  const run = await load(job)
  if (typeof run !== 'function') return run
  const { clock, tried, printed, tools } = around
  const look = () => tools && walkTask({ ...tools }, run, job.text)
  clock.asked() // what it asks for when it is loaded, it asks for in every thread
  printed()
  const states = [look()]
  const first = await callEach(run, calls, clock.setTo)
  states.push(look())
  // In the other order: what depends on the calls before then differs.
  const second = (await callEach(run, calls.toReversed(), (ms) => clock.setTo(ms + LATER_MS))).toReversed()
  states.push(look())
  await callEach(run, calls.slice(-1), clock.setTo) // the last one of the first time
  states.push(look())
  const more = [] // of results that differ from call to call
  if (compareOutcomes(calls, [first, second]).unsteady > 0)
    for (let day = 2; day <= 1 + MORE_ROUNDS; day++) more.push(await callEach(run, calls, (ms) => clock.setTo(ms + day * LATER_MS))) // prettier-ignore
  const known = { tried: tried(), asked: clock.asked(), printed: printed() }
  const given = calls.slice(0, TIMED_CALLS).map((call) => call.given)
  return {
    ...{
      loadError: null,
      ...compareOutcomes(calls, [first, second, ...more]),
      ...known,
      state: stateOf(states),
    },
    ...(job.didNothing ? NOT_TIMED : await timeBoth(run, given, redacted)),
  }
}

async function load({ module, task }: ReplayJob): Promise<Task | { loadError: string }> {
  try {
    return ((await import(module)) as Record<string, Task>)[task]!
  } catch (error) {
    return { loadError: String(error) }
  }
}

/** In a process of its own: code whose parts are counted runs several times slower, on some versions of Node.js also afterwards. */
export async function findUnrun(
  job: ReplayJob,
  { tried, clock }: Pick<ReplaySurroundings, 'tried' | 'clock'>,
): Promise<UnrunResult> {
  const lines = watchLines()
  const run = await load(job)
  if (typeof run !== 'function') return run
  await callEach(run, job.calls, clock.setTo)
  const folder = job.module.slice(0, job.module.lastIndexOf('/') + 1)
  return { loadError: null, tried: tried(), unrun: lines?.((url) => url.startsWith(folder)) ?? null }
}

/** Null: of a value that throws when it is looked at. */
function walkTask(tools: StateTools, run: Task, text: string): StateGraph | null {
  try {
    const scopes = tools.closures.insideOf([run])[0]!.scopes.toReversed()
    return walkState(tools, { text, variables: Object.assign({}, ...scopes) as Record<string, unknown> })
      .graph
  } catch {
    return null
  }
}

function stateOf([before, after, later, again]: readonly (StateGraph | null)[]): ReplayState | null {
  if (!before || !after || !later || !again) return null
  const [first, further, adding] = [compareStates(before, after), compareStates(after, later), compareStates(after, again)] // prettier-ignore
  return { graph: after, first, further, adding }
}

function compareOutcomes(calls: readonly KeptCall[], rounds: readonly (readonly Outcome[])[]) {
  const [first, second] = rounds as [Outcome[], Outcome[]]
  const expected = calls.map(({ result }): Outcome => ({ value: valueOf(result) }))
  const isSame = (at: number) => isDeepStrictEqual(expected[at], first[at]) && isDeepStrictEqual(expected[at], second[at]) // prettier-ignore
  const isMasked = (at: number) => (sameBut({ expected: expected[at]!.value, alone: rounds.map((outcomes) => outcomes[at]!.value) }) ?? 0) > 0 // prettier-ignore
  const numbers = calls.map((_, at) => at)
  return {
    same: numbers.filter(isSame).length,
    masked: numbers.filter((at) => !isSame(at) && isMasked(at)).length,
    unsteady: numbers.filter((at) => !isDeepStrictEqual(first[at], second[at])).length,
    error: first.find(({ error }) => error !== undefined)?.error ?? null,
  }
}

async function callEach(
  run: Task,
  calls: readonly KeptCall[],
  setClock: (ms: number) => void,
): Promise<Outcome[]> {
  // prettier-ignore
  const outcomes: Outcome[] = []
  for (const { given, at } of calls) {
    setClock(at)
    outcomes.push(await outcomeOf(run, given))
  }
  return outcomes
}

async function outcomeOf(run: Task, given: string): Promise<Outcome> {
  try {
    const value = await run(...(valueOf(given) as unknown[]))
    return { value: deserialize(serialize(value)) as unknown }
  } catch (error) {
    return {
      error: isError(error) && /^\w{1,60}$/.test(error.name) ? error.name : 'what it throws is no error',
    } // its message may hold the arguments
  }
}

const NOT_TIMED = { ms: 0, waiting: 0, redactedMs: null, redactedError: null }

/** In turns, so that what else the machine does falls on both. */
async function timeBoth(run: Task, given: readonly string[], redacted: readonly string[] | null) {
  const times: { ms: number[]; redactedMs: number[]; error: string | null } = { ms: [], redactedMs: [], error: null } // prettier-ignore
  const loop = performance.eventLoopUtilization()
  const until = performance.now() + TIMING_MS
  for (let round = 0; round < ROUNDS; round++)
    for (let at = 0; at < given.length && (round === 0 || performance.now() < until); at++) {
      // Those are known to end: of slow ones a few tell how long they take.
      if (at === 0 || performance.now() < until) times.ms.push((await timeCall(run, given[at]!)).ms)
      if (redacted === null || times.error !== null) continue
      const { ms, error } = await timeCall(run, redacted[at]!)
      times.redactedMs.push(ms)
      times.error = error
    }
  const isUsable = redacted !== null && times.error === null
  const waiting = 1 - performance.eventLoopUtilization(loop).utilization
  return { ms: median(times.ms), waiting, redactedMs: isUsable ? redactedTime(times) : null, redactedError: times.error } // prettier-ignore
}

/** Of most pairs of calls: the ratio of the medians alone follows what else the machine does. */
function redactedTime({ ms, redactedMs }: { ms: readonly number[]; redactedMs: readonly number[] }): number {
  const ratios = redactedMs
    .slice(0, ms.length)
    .map((each, at) => each / ms[at]!)
    .toSorted((a, b) => a - b)
  const [low, middle, high] = [0.1, 0.5, 0.9].map((share) => ratios[Math.floor(share * ratios.length)]!) as [number, number, number] // prettier-ignore
  return median(ms) * (low > 1 || high < 1 ? middle : 1)
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

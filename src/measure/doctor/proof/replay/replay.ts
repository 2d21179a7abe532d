// Makes real calls again, twice, and compares what they give.

import { isDeepStrictEqual } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import type { KeptCall } from '../../agent/messages.js'
import { isError } from '../../../../primitives/any-realm.js'
import { compareStates } from '../../state/compare-states.js'
import type { StateGraph } from '../../state/state-graph.js'
import { walkState, type StateTools } from '../../state/walk-state.js'
import {
  LONG_MS,
  type ReplayJob,
  type ReplayResult,
  type ReplayState,
  type UnrunResult,
} from './replay-messages.js'
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
  tried: () => null,
  clock: { setTo: () => {}, asked: () => [] },
  printed: () => false,
  tools: null,
}

export async function replay(job: ReplayJob, around = NOTHING_KNOWN): Promise<ReplayResult> {
  const { calls, redacted } = job
  const run = await load(job)
  if (typeof run !== 'function') return run
  const { clock, tried, printed, tools } = around
  clock.asked() // what it asks for when it is loaded, it asks for in every thread
  printed()
  const { outcomes, states, ...time } = await makeRounds(run, job, { clock, tools })
  const known = { tried: tried(), asked: clock.asked(), printed: printed() }
  const given = calls.slice(0, TIMED_CALLS).map((call) => call.given)
  const timed = () => (time.ms > LONG_MS ? timeRedacted(run, time, redacted) : timeBoth(run, given, redacted))
  return {
    loadError: null,
    ...compareOutcomes(calls, outcomes),
    ...known,
    state: stateOf(states),
    ...(job.didNothing ? NOT_TIMED : await timed()),
  }
}

interface Rounds extends CallTime {
  /** Of each round. */
  readonly outcomes: readonly (readonly Outcome[])[]
  readonly states: readonly (StateGraph | null)[]
}

/** Of long calls only the last one is made more than once. */
async function makeRounds(
  run: Task,
  { calls, text }: ReplayJob,
  { clock, tools }: Pick<ReplaySurroundings, 'clock' | 'tools'>,
): Promise<Rounds> {
  const look = () => tools && walkTask({ ...tools }, run, text)
  const states = [look()]
  const loop = performance.eventLoopUtilization()
  const startedAt = performance.now()
  const first = await callEach(run, calls, clock.setTo)
  const ms = (performance.now() - startedAt) / Math.max(1, calls.length)
  const waiting = 1 - performance.eventLoopUtilization(loop).utilization
  states.push(look())
  const repeated = ms > LONG_MS ? calls.slice(-1) : calls
  const onDay = (day: number) => (at: number) => clock.setTo(at + day * LATER_MS)
  const filled = (outcomes: readonly Outcome[]) => [
    ...first.slice(0, calls.length - outcomes.length),
    ...outcomes,
  ]
  // In the other order: what depends on the calls before then differs.
  const second = filled((await callEach(run, repeated.toReversed(), onDay(1))).toReversed())
  states.push(look())
  await callEach(run, calls.slice(-1), clock.setTo) // the last one of the first time
  states.push(look())
  const outcomes = [first, second]
  if (compareOutcomes(calls, outcomes).unsteady > 0)
    for (let day = 2; day <= 1 + MORE_ROUNDS; day++)
      outcomes.push(filled(await callEach(run, repeated, onDay(day))))
  return { outcomes, states, ms, waiting }
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
  const [first, further, adding] = [
    compareStates(before, after),
    compareStates(after, later),
    compareStates(after, again),
  ]
  return { graph: after, first, further, adding }
}

function compareOutcomes(calls: readonly KeptCall[], rounds: readonly (readonly Outcome[])[]) {
  const [first, second] = rounds as [Outcome[], Outcome[]]
  const expected = calls.map(({ result }): Outcome => ({ value: valueOf(result) }))
  const isSame = (at: number) =>
    isDeepStrictEqual(expected[at], first[at]) && isDeepStrictEqual(expected[at], second[at])
  const isMasked = (at: number) =>
    (sameBut({ expected: expected[at]!.value, alone: rounds.map((outcomes) => outcomes[at]!.value) }) ?? 0) >
    0
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

interface CallTime {
  /** Of a call. */
  readonly ms: number
  /** Share of the time in which nothing ran. */
  readonly waiting: number
}

/** Of long calls, whose own time is known. */
async function timeRedacted(run: Task, { ms, waiting }: CallTime, redacted: readonly string[] | null) {
  if (redacted === null) return { ms, waiting, redactedMs: null, redactedError: null }
  const timed = await timeCall(run, redacted[0]!)
  const redactedMs = timed.error === null ? timed.ms : null
  return { ms, waiting, redactedMs, redactedError: timed.error }
}

/** In turns, so that what else the machine does falls on both. */
async function timeBoth(run: Task, given: readonly string[], redacted: readonly string[] | null) {
  const times: { ms: number[]; redactedMs: number[]; error: string | null } = {
    ms: [],
    redactedMs: [],
    error: null,
  }
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
  return {
    ms: median(times.ms),
    waiting,
    redactedMs: isUsable ? redactedTime(times) : null,
    redactedError: times.error,
  }
}

/** Of most pairs of calls: the ratio of the medians alone follows what else the machine does. */
function redactedTime({ ms, redactedMs }: { ms: readonly number[]; redactedMs: readonly number[] }): number {
  const ratios = redactedMs
    .slice(0, ms.length)
    .map((each, at) => each / ms[at]!)
    .toSorted((a, b) => a - b)
  const [low, middle, high] = [0.1, 0.5, 0.9].map((share) => ratios[Math.floor(share * ratios.length)]!) as [
    number,
    number,
    number,
  ]
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

// Both versions of an app are alive, and get the same load by turns: requests that are due at a rate, and then as many as are answered.

import { createRandom, shuffle, type Random } from '../../stats/random.js'
import { createSchedule } from '../../load/schedule.js'
import type { HttpAnswer, Asker } from './ask.js'

/** A version that runs. */
export interface RunningVersion {
  readonly asker: Asker
  readonly onAnswer: (path: string, answer: HttpAnswer) => void
  calmStart(): Promise<unknown>
  calmEnd(): Promise<CalmTurn>
  delayStart(): Promise<unknown>
  delayEnd(): Promise<DelayTurn>
  /** Null where the system does not tell. */
  memoryBytes(): number | null
}

export interface CalmTurn {
  /** Share of the time that the event loop did not wait. */
  readonly busy: number
  readonly cpuMs: number
  readonly requests: number
}

export interface DelayTurn {
  readonly delayMs: { readonly p50: number | null; readonly p99: number | null }
}

export interface VersionTurn {
  /** Milliseconds of answers, of each path. */
  readonly latencies: ReadonlyMap<string, readonly number[]>
  readonly failures: number
  readonly calm: CalmTurn | null
  readonly delay: DelayTurn | null
  /** Answers per second when it gets as many requests as it answers. */
  readonly throughput: number
}

export interface Round {
  readonly before: VersionTurn
  readonly after: VersionTurn
}

export interface LoadPlan {
  readonly paths: readonly { path: string; weight: number }[]
  /** Requests per second, of all paths. */
  readonly rate: number
  readonly rounds: number
  readonly seed: number
  readonly signal: AbortSignal
  readonly onRound: (done: number) => void
}

const RATE_MS = 1200
const FULL_MS = 700
const WARM_UP_MS = 900
const CONNECTIONS = 16
/** What is sent within it counts from its sending: a timer of Node is that late. */
const TIMER_MS = 1

export async function takeTurns(
  before: RunningVersion,
  after: RunningVersion,
  plan: LoadPlan,
): Promise<Round[]> {
  const random = createRandom(plan.seed)
  const rounds: Round[] = []
  for (const version of [before, after]) await saturate(version, plan, { ms: WARM_UP_MS, random })
  for (const version of [before, after]) await atRate(version, plan, { ms: WARM_UP_MS, random })
  for (let round = 0; round < plan.rounds; round++) {
    const turns = new Map<RunningVersion, VersionTurn>()
    for (const version of shuffle([before, after], random)) {
      plan.signal.throwIfAborted()
      turns.set(version, await takeTurn(version, plan, { random, isCalm: round % 2 === 0 }))
    }
    rounds.push({ before: turns.get(before)!, after: turns.get(after)! })
    plan.onRound(rounds.length)
  }
  return rounds
}

async function takeTurn(
  version: RunningVersion,
  plan: LoadPlan,
  { random, isCalm }: { random: Random; isCalm: boolean },
): Promise<VersionTurn> {
  // Looking at the delay wakes the loop, so it has rounds of its own.
  await (isCalm ? version.calmStart() : version.delayStart())
  const { latencies, failures } = await atRate(version, plan, { ms: RATE_MS, random })
  const calm = isCalm ? await version.calmEnd() : null
  const delay = isCalm ? null : await version.delayEnd()
  const throughput = await saturate(version, plan, { ms: FULL_MS, random })
  return { latencies, failures, calm, delay, throughput }
}

interface Window {
  readonly ms: number
  readonly random: Random
}

/** Open loop: requests are due whatever the app does. */
async function atRate(version: RunningVersion, plan: LoadPlan, { ms, random }: Window) {
  const latencies = new Map<string, number[]>(plan.paths.map(({ path }) => [path, []]))
  let failures = 0
  const open: Promise<void>[] = []
  const next = pathsInTurn(plan, random)
  const startedMs = performance.now()
  const schedule = createSchedule({ rate: plan.rate, isPoisson: true, endMs: ms, random })
  for (; schedule.next !== Infinity && !plan.signal.aborted; schedule.advance()) {
    const due = startedMs + schedule.next
    const wait = due - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    const from = Math.min(performance.now(), due + TIMER_MS)
    const path = next()
    open.push(
      version.asker.ask(path).then((answer) => {
        latencies.get(path)!.push(performance.now() - from)
        if (answer.status === 0) failures++
        version.onAnswer(path, answer)
      }),
    )
  }
  await Promise.all(open)
  return { latencies, failures }
}

/** Closed loop: answers per second. */
async function saturate(version: RunningVersion, plan: LoadPlan, { ms, random }: Window): Promise<number> {
  const next = pathsInTurn(plan, random)
  const startedMs = performance.now()
  let answered = 0
  const work = async () => {
    while (performance.now() - startedMs < ms && !plan.signal.aborted) {
      const path = next()
      const answer = await version.asker.ask(path)
      if (answer.status > 0) answered++
      version.onAnswer(path, answer)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  return (1000 * answered) / (performance.now() - startedMs)
}

/** By their weights, each lot in another order: all versions get the same mix. */
function pathsInTurn({ paths }: LoadPlan, random: Random): () => string {
  const least = Math.min(...paths.map(({ weight }) => weight))
  const lot = paths.flatMap(({ path, weight }) =>
    Array.from({ length: Math.round(weight / least) }, () => path),
  )
  let left: string[] = []
  return () => {
    if (left.length === 0) left = shuffle(lot, random)
    return left.pop()!
  }
}

// The windows of a diagnosis, in which the app is looked at under requests.

import { availableParallelism } from 'node:os'
import { machineCpu } from '../machine/machine-cpu.js'
import type { CalmWindow, CountedCalls, LoopDelay, Profiled, Watched } from './agent/messages.js'
import type { Agent } from './agent/agent-server.js'
import { setCount, type FoundFunction, type FoundFunctions } from './find-functions.js'
import { functionsToWatch } from './judge-functions.js'
import type { ResolvedDoctor } from './options.js'
import type { Requests } from './send-requests.js'
import { watchedFunction } from './watched-function.js'

const CALM_SECONDS = 5
const DELAY_SECONDS = 2
const PROFILE_SECONDS = 5
const COUNT_SECONDS = 2.5
const WATCH_SECONDS = 4
/** A function runs slowly while its calls are looked at. */
const WATCH_SLOWER = 3
const MAX_WATCHED = 30
/** Requests per second: of fewer each one is needed. */
const SLOW_RATE = 6
const SLOW_SLOWER = 1.5
/** Of each function: what fewer calls show says too little. */
const MIN_CALLS = 3
/** For calls that are few a window lasts longer, at the latest until such a share of the time for all is over. */
const LATEST = { count: 0.3, profile: 0.5, watch: 0.7 }
/** Of the busy time: for these it is worth waiting. */
const LARGE = 0.05
/** Without requests. */
const QUIET_SECONDS = 1.5
/** Between the first request and the first look. */
const SETTLE_SECONDS = 0.5
/**
 * Counting makes V8 forget its optimized code, and of what it optimizes while it profiles it knows which function each part is of. So the
 * profile follows the counts, and its first seconds do not count.
 */
const WARM_UP_SECONDS = 2
/** While calls are counted code runs several times slower. */
const COUNT_SLOWER = 3
export interface Look {
  readonly options: ResolvedDoctor
  readonly agent: Agent
  readonly requests: Requests
  readonly times: ReturnType<typeof windowsOf>
  /** Rejects when the app ends, or when interrupted. */
  readonly lost: Promise<never>
  /** By the clock of `performance`. */
  readonly startedAt: number
}

/** The looking begins. */
export function beginLook(look: Omit<Look, 'times' | 'startedAt'>): Look {
  return { ...look, times: windowsOf(look.options), startedAt: performance.now() }
}

export type Calm = CalmWindow &
  LoopDelay & {
    /** Of the CPUs, what neither the app nor doctor used; null where nobody knows. */
    readonly others: number | null
  }

/** Between two looks for the first request. */
const FIRST_SECONDS = 0.25

/** Waits for the first request of somebody who has yet to send them, at most as long as doctor was told to look. */
export async function awaitRequest({ options, agent, lost }: Look): Promise<void> {
  const until = performance.now() + 1000 * (options.forSeconds ?? 0)
  while (performance.now() < until) {
    await agent.ask('calm start')
    await pause(lost, FIRST_SECONDS)
    if ((await agent.ask('calm end')).requests > 0) return
  }
}

export function lookCalmly({ options, agent, requests, times, lost }: Look): Promise<Calm> {
  options.onPhase('looking at the event loop')
  const machine = machineCpu()
  return requests.during(async () => {
    await pause(lost, SETTLE_SECONDS)
    await agent.ask('calm start')
    const [before, own] = [machine(), process.cpuUsage()]
    await pause(lost, times.calm)
    const calm = await agent.ask('calm end')
    const { user, system } = process.cpuUsage(own)
    const after = machine()
    const othersMs = before === null || after === null ? null : after - before - calm.cpuMs - (user + system) / 1000 // prettier-ignore
    const cpuMs = calm.seconds * 1000 * availableParallelism()
    await agent.ask('delay start')
    await pause(lost, times.delay)
    const delay = await agent.ask('delay end')
    return { ...calm, ...delay, others: othersMs === null ? null : Math.max(0, othersMs) / cpuMs }
  })
}

export async function countCalls(look: Look): Promise<CountedCalls> {
  const { options, agent, requests, times } = look
  options.onPhase('counting calls')
  const count = async (seconds: number, isEnough: () => Promise<boolean>) => {
    await agent.ask('count start')
    await pauseUntil(look, { seconds, latest: LATEST.count }, isEnough)
    return agent.ask('count end')
  }
  const quiet = requests.rate === null ? null : await count(QUIET_SECONDS, async () => true)
  return {
    quiet,
    busy: await requests.during(
      () => count(times.count, enoughRequests(look, requestsOf(look))),
      isSlow(look) ? SLOW_SLOWER : COUNT_SLOWER,
    ),
  }
}

/** Of slow pages, so many of each path as say something. */
function enoughRequests(
  { agent, options: { paths }, requests }: Look,
  each = MIN_CALLS,
): () => Promise<boolean> {
  return async () => requests.rate === null || (await agent.ask('requests so far')) >= each * paths.length
}

/** One tells how often it calls what; of several the mean does. */
function requestsOf({ requests: { rate } }: Look): number {
  return rate !== null && rate < 1 ? 1 : MIN_CALLS
}

function isSlow({ requests: { rate } }: Look): boolean {
  return rate !== null && rate < SLOW_RATE
}

/** After the counts, which end with it. */
export function profile(look: Look): Promise<Profiled> {
  const { options, agent, requests, times, lost } = look
  options.onPhase('profiling')
  return requests.during(async () => {
    await agent.ask('profile start')
    await pause(lost, times.warmUp)
    await agent.ask('profile again')
    await pauseUntil(look, { seconds: times.profile, latest: LATEST.profile }, enoughRequests(look))
    return agent.ask('profile end')
  })
}

/** The arguments of real calls, of the functions on which nothing else decides. */
export async function watch(look: Look, { functions, scripts }: FoundFunctions, profiled: Profiled) {
  const { options, agent, requests, times } = look
  // The outermost ones first: where such a function moves, what it calls goes with it.
  const bySize = functionsToWatch(functions, scripts).sort(
    (a, b) => b.row.inclusiveShare - a.row.inclusiveShare,
  )
  const watched = bySize.slice(0, MAX_WATCHED)
  const large = watched.filter(({ row }) => row.inclusiveShare >= LARGE).length
  if (watched.length === 0) return new Map<FoundFunction, Watched>()
  options.onPhase('looking at arguments')
  const slower = (requests.rate ?? 0) < SLOW_RATE ? SLOW_SLOWER : WATCH_SLOWER
  const seen = await requests.during(async () => {
    await agent.ask('watch start', watched.map(({ subject }) => watchedFunction(subject))) // prettier-ignore
    const isEnough = async () => requests.rate === null || (await agent.ask('watched so far')).slice(0, large).every((calls) => calls >= MIN_CALLS) // prettier-ignore
    await pauseUntil(look, { seconds: times.watch, latest: LATEST.watch }, isEnough)
    return agent.ask('watch end')
  }, slower)
  const functionOf = (index: number) => watched[index]!
  seen.functions.forEach(({ entered }, index) => {
    const { subject, row } = functionOf(index)
    if (subject.found?.node.async || row.callMs === null)
      setCount(functionOf(index), profiled, { entered, requests: seen.requests })
  })
  return new Map(watched.map((each, index) => [each, seen.functions[index]!]))
}

interface Window {
  readonly seconds: number
  /** Share of the time from the first look until all is to be done. */
  readonly latest: number
}

/** At least so long, and until it is enough, but not beyond what is left for the others. Slow pages have few calls in a window. */
async function pauseUntil(
  { lost, startedAt, options }: Look,
  { seconds, latest }: Window,
  isEnough: () => Promise<boolean>,
): Promise<void> {
  // prettier-ignore
  const until = startedAt + latest * (options.until - startedAt)
  await pause(lost, seconds)
  while (performance.now() < until && !(await isEnough())) await pause(lost, FIRST_SECONDS)
}

/** Rejects when the app ends meanwhile. */
function pause(lost: Promise<never>, seconds: number): Promise<void> {
  return Promise.race([new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000)), lost])
}

function windowsOf({ forSeconds }: ResolvedDoctor) {
  const part = (share: number, own: number) => (forSeconds === null ? own : share * forSeconds)
  return {
    calm: part(0.25, CALM_SECONDS),
    delay: part(0.1, DELAY_SECONDS),
    count: part(0.15, COUNT_SECONDS),
    warmUp: part(0.1, WARM_UP_SECONDS),
    profile: part(0.25, PROFILE_SECONDS),
    watch: part(0.15, WATCH_SECONDS),
  }
}

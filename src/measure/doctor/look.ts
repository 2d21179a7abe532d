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
/** By so much a loop of the app may be slower while its calls are counted, or while those of its function are looked at: V8 does not optimize it. */
const MOST_SLOWER = 15
/** Of each function: what fewer calls show says too little. */
const MIN_CALLS = 3
/** For calls that are few a window lasts longer, at the latest until such a share of the time for all is over. */
const LATEST = { count: 0.3, profile: 0.5, watch: 0.7 }
/** Then a look at calls that still run is given up. */
const GIVEN_UP = 0.8
/** Of that time, for a single page: of slower ones calls are counted as they are looked at. */
const WORTH_COUNTING = 0.1
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
export interface AppLook {
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
export function beginLook(look: Omit<AppLook, 'times' | 'startedAt'>): AppLook {
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
export async function awaitRequest({ options, agent, lost }: AppLook): Promise<void> {
  const until = performance.now() + 1000 * (options.forSeconds ?? 0)
  while (performance.now() < until) {
    await agent.ask('calm start')
    await pause(lost, FIRST_SECONDS)
    if ((await agent.ask('calm end')).requests > 0) return
  }
}

export function lookCalmly({ options, agent, requests, times, lost }: AppLook): Promise<Calm> {
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
    const othersMs =
      before === null || after === null ? null : after - before - calm.cpuMs - (user + system) / 1000
    const cpuMs = calm.seconds * 1000 * availableParallelism()
    await agent.ask('delay start')
    await pause(lost, times.delay)
    const delay = await agent.ask('delay end')
    return { ...calm, ...delay, others: othersMs === null ? null : Math.max(0, othersMs) / cpuMs }
  })
}

/** Null: a single page would take too long meanwhile. */
export async function countCalls(look: AppLook): Promise<CountedCalls | null> {
  const { options, agent, requests, times, lost } = look
  if (MOST_SLOWER * (requests.answerMs ?? 0) > WORTH_COUNTING * timeOf(look)) return null
  options.onPhase('counting calls')
  const count = async (wait: () => Promise<void>) => {
    await agent.ask('count start')
    await wait()
    return agent.ask('count end')
  }
  const quiet = requests.rate === null ? null : await count(() => pause(lost, QUIET_SECONDS))
  const isEnough = enoughRequests(look, requestsOf(look))
  const window = { seconds: times.count, latest: LATEST.count }
  return {
    quiet,
    busy: await withRequests(look, COUNT_SLOWER, (until) => count(() => until(window, isEnough))),
  }
}

/** Of slow pages one at a time: while doctor makes the app slow they would pile up, and it could not be asked for what was seen. */
function withRequests<Seen>(
  look: AppLook,
  slower: number,
  see: (until: (window: Window, isEnough: () => Promise<boolean>) => Promise<void>) => Promise<Seen>,
): Promise<Seen> {
  if (isSlow(look)) return see((window, isEnough) => askUntil(look, window, isEnough))
  return look.requests.during(() => see((window, isEnough) => pauseUntil(look, window, isEnough)), slower)
}

async function askUntil(look: AppLook, { latest }: Window, isEnough: () => Promise<boolean>): Promise<void> {
  const until = look.startedAt + latest * timeOf(look)
  let tookMs: number
  do {
    const from = performance.now()
    await Promise.race([look.requests.once(), look.lost])
    tookMs = performance.now() - from
  } while (performance.now() + tookMs < until && !(await isEnough()))
}

/** Of slow pages, so many of each path as say something. */
function enoughRequests(
  { agent, options: { paths }, requests }: AppLook,
  each = MIN_CALLS,
): () => Promise<boolean> {
  return async () => requests.rate === null || (await agent.ask('requests so far')) >= each * paths.length
}

/** One tells how often it calls what; of several the mean does. */
function requestsOf({ requests: { rate } }: AppLook): number {
  return rate !== null && rate < 1 ? 1 : MIN_CALLS
}

/** Milliseconds for all. */
function timeOf({ startedAt, options }: AppLook): number {
  return options.until - startedAt
}

function isSlow({ requests: { rate } }: AppLook): boolean {
  return rate !== null && rate < SLOW_RATE
}

/**
 * After the counts, which end with it. Where there were none they begin with it: the profiler would not know the code of hot loops that is
 * there already, and would give the time of a slow page to who calls it.
 */
export function profile(look: AppLook, isCounting: boolean): Promise<Profiled> {
  const { options, agent, requests, times, lost } = look
  options.onPhase('profiling')
  return requests.during(async () => {
    if (!isCounting) await agent.ask('count start')
    await agent.ask('profile start')
    await pause(lost, times.warmUp)
    await agent.ask('profile again')
    await pauseUntil(look, { seconds: times.profile, latest: LATEST.profile }, enoughRequests(look))
    return agent.ask('profile end')
  })
}

/** The arguments of real calls, of the functions on which nothing else decides. */
export async function watch(look: AppLook, { functions, scripts }: FoundFunctions, profiled: Profiled) {
  const { options, agent, requests, times } = look
  // The outermost ones first: where such a function moves, what it calls goes with it.
  const bySize = functionsToWatch(functions, scripts).sort(
    (a, b) => b.row.inclusiveShare - a.row.inclusiveShare,
  )
  const watched = bySize.slice(0, MAX_WATCHED)
  const large = watched.filter(({ row }) => row.inclusiveShare >= LARGE).length
  if (watched.length === 0) return new Map<FoundFunction, Watched>()
  options.onPhase('looking at arguments')
  const looking = withRequests(look, WATCH_SLOWER, async (until) => {
    await agent.ask(
      'watch start',
      watched.map(({ subject }) => watchedFunction(subject)),
    )
    const isEnough = async () =>
      requests.rate === null ||
      (await agent.ask('watched so far')).slice(0, large).every((calls) => calls >= MIN_CALLS)
    await until({ seconds: times.watch, latest: LATEST.watch }, isEnough)
    return agent.ask('watch end')
  })
  const late = giveUp(look)
  const seen = await Promise.race([looking, late.given]).finally(late.stop)
  if (seen === null) return new Map<FoundFunction, Watched>()
  const functionOf = (index: number) => watched[index]!
  seen.functions.forEach(({ entered }, index) => {
    const { subject, row } = functionOf(index)
    if (subject.found?.node.async || row.callMs === null)
      setCount(functionOf(index), profiled, { entered, requests: seen.requests })
  })
  return new Map(watched.map((each, index) => [each, seen.functions[index]!]))
}

/** The end of the app ends the look, too. A timer that nobody stops would keep the program for the rest of the minute. */
function giveUp(look: AppLook): { given: Promise<null>; stop: () => void } {
  let timer: NodeJS.Timeout | undefined
  const end = look.startedAt + GIVEN_UP * timeOf(look)
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), end - performance.now())
  })
  return { given: Promise.race([late, look.lost]), stop: () => clearTimeout(timer) }
}

interface Window {
  readonly seconds: number
  /** Share of the time from the first look until all is to be done. */
  readonly latest: number
}

/** At least so long, and until it is enough, but not beyond what is left for the others. Slow pages have few calls in a window. */
async function pauseUntil(
  look: AppLook,
  { seconds, latest }: Window,
  isEnough: () => Promise<boolean>,
): Promise<void> {
  const until = look.startedAt + latest * timeOf(look)
  await pause(look.lost, seconds)
  while (performance.now() < until && !(await isEnough())) await pause(look.lost, FIRST_SECONDS)
}

/** Rejects when the app ends meanwhile. */
async function pause(lost: Promise<never>, seconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, seconds * 1000)
  })
  await Promise.race([over, lost]).finally(() => clearTimeout(timer))
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

// The windows of a diagnosis, in which the app is looked at under requests.

import { availableParallelism } from 'node:os'
import { machineCpu } from '../machine/machine-cpu.js'
import type { CalmWindow, Counted, LoopDelay, Profiled, Watched } from './agent/messages.js'
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

export function countCalls({ options, agent, requests, times, lost }: Look): Promise<Counted> {
  options.onPhase('counting calls')
  return requests.during(async () => {
    await agent.ask('count start')
    await pause(lost, times.count)
    return agent.ask('count end')
  }, COUNT_SLOWER)
}

/** After the counts, which end with it. */
export function profile({ options, agent, requests, times, lost }: Look): Promise<Profiled> {
  options.onPhase('profiling')
  return requests.during(async () => {
    await agent.ask('profile start')
    await pause(lost, times.warmUp)
    await agent.ask('profile again')
    await pause(lost, times.profile)
    return agent.ask('profile end')
  })
}

/** The arguments of real calls, of the functions on which nothing else decides. */
export async function watch(look: Look, { functions, scripts }: FoundFunctions, profiled: Profiled) {
  const { options, agent, requests, times, lost } = look
  const watched = functionsToWatch(functions, scripts).slice(0, MAX_WATCHED)
  if (watched.length === 0) return new Map<FoundFunction, Watched>()
  options.onPhase('looking at arguments')
  const seen = await requests.during(async () => {
    await agent.ask('watch start', watched.map(({ subject }) => watchedFunction(subject))) // prettier-ignore
    await pause(lost, times.watch)
    return agent.ask('watch end')
  }, WATCH_SLOWER)
  const functionOf = (index: number) => watched[index]!
  seen.functions.forEach(({ entered }, index) => {
    if (functionOf(index).subject.found?.node.async)
      setCount(functionOf(index), profiled, { entered, requests: seen.requests })
  })
  return new Map(watched.map((each, index) => [each, seen.functions[index]!]))
}

/** Rejects when the app ends meanwhile. */
function pause(lost: Promise<never>, seconds: number): Promise<void> {
  return Promise.race([new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000)), lost])
}

export function windowsOf({ forSeconds }: ResolvedDoctor) {
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

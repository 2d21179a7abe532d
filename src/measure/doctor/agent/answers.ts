// What the agent does when it is asked: windows that start and end.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { performance, type EventLoopUtilization } from 'node:perf_hooks'
import { runQueueSeconds } from '../../machine/process-resources.js'
import { startLoopDelayProbe, type LoopDelayProbe } from '../../trial/loop-delay.js'
import type { AgentAnswers, AppWindow, Watched, WatchedFunction } from './messages.js'
import {
  endProfile,
  profileInsteadOfCounts,
  readCounts,
  scriptsOf,
  startCounts,
  withoutStart,
  type V8Session,
} from './v8-session.js'
import { watchCalls } from './watch-calls.js'

export type Answers = {
  [Question in keyof AgentAnswers]: (functions: WatchedFunction[]) => AgentAnswers[Question]
}

export interface Looks {
  readonly answers: Answers
  /** Leaves the process as it was before: nothing is profiled, counted or watched any more. */
  stop(): void
}

export function createLooks(session: V8Session): Looks {
  const window = createWindow()
  const calm = createCalmLook(window)
  const answers = { ...calm.answers, ...createProfile(session, window), ...createWatch(session, window) }
  return {
    answers,
    stop() {
      calm.stop()
      window.stop()
      session.disconnect() // V8 ends what was started through it
    },
  }
}

type ProfileQuestion = 'profile start' | 'profile again' | 'profile end' | 'count start' | 'count end'

function createProfile(
  session: V8Session,
  window: ReturnType<typeof createWindow>,
): Pick<Answers, ProfileQuestion> {
  let skippedUs = 0
  return {
    'profile start'() {
      window.start()
      profileInsteadOfCounts(session)
      return null
    },
    'profile again'() {
      skippedUs = window.end().seconds * 1e6
      window.start()
      return null
    },
    'profile end'() {
      const measured = window.end()
      const profile = withoutStart(endProfile(session), skippedUs)
      return { ...measured, profile, scripts: scriptsOf(session) }
    },
    'count start'() {
      startCounts(session)
      window.start()
      return null
    },
    'count end': () => ({ ...window.end(), scripts: readCounts(session) }),
  }
}

/** Of the loop's delay. Ticks of 1 ms would add 1.5 points to the busy share. 7 ms do not fall into step with requests at a round rate. */
const TICK_MS = 7

interface CalmLook {
  readonly answers: Pick<Answers, 'calm start' | 'calm end'>
  stop(): void
}

function createCalmLook(window: ReturnType<typeof createWindow>): CalmLook {
  let loop: { utilization: EventLoopUtilization; delays: LoopDelayProbe; waited: number } | null = null
  const start = () => {
    window.start()
    loop = {
      ...{ utilization: performance.eventLoopUtilization(), delays: startLoopDelayProbe(TICK_MS) },
      waited: runQueueSeconds(),
    }
    return null
  }
  const end = () => {
    const { utilization, delays: probe, waited } = loop!
    const busy = performance.eventLoopUtilization(utilization).utilization
    const delays = probe.stop()
    const delayMs = { p50: delays.percentile(0.5), p99: delays.percentile(0.99) }
    const ended = window.end()
    return { ...ended, busy, delayMs, waited: (runQueueSeconds() - waited) / ended.seconds }
  }
  return { answers: { 'calm start': start, 'calm end': end }, stop: () => void loop?.delays.stop() }
}

function createWatch(
  session: V8Session,
  window: ReturnType<typeof createWindow>,
): Pick<Answers, 'watch start' | 'watch end'> {
  let end: () => Watched[] = () => []
  return {
    'watch start'(functions) {
      end = watchCalls(session, functions)
      window.start()
      return null
    },
    'watch end': () => ({ requests: window.end().requests, functions: end() }),
  }
}

/** Counts time, CPU time and requests. */
function createWindow() {
  const channel = 'http.server.request.start'
  let requests = 0
  let from = 0
  let cpu: NodeJS.CpuUsage
  const count = () => requests++
  subscribe(channel, count)
  return {
    start() {
      requests = 0
      from = performance.now()
      cpu = process.cpuUsage()
    },
    end(): AppWindow {
      const { user, system } = process.cpuUsage(cpu)
      return { requests, seconds: (performance.now() - from) / 1000, cpuMs: (user + system) / 1000 }
    },
    stop: () => unsubscribe(channel, count),
  }
}

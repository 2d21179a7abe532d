// What the agent does when it is asked: windows that start and end.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { performance, type EventLoopUtilization } from 'node:perf_hooks'
import { runQueueSeconds } from '../../machine/process-resources.js'
import { startLoopDelayProbe, type LoopDelayProbe } from '../../trial/loop-delay.js'
import { rememberLanguage, type Language } from '../state/language.js'
import type { AgentAnswers, AppWindow, WatchedFunction } from './messages.js'
import {
  endProfile,
  profileInsteadOfCounts,
  readCounts,
  scriptsOf,
  startCounts,
  withoutStart,
  type V8Session,
} from './v8-session.js'
import { watchCalls, type CallsWatch } from './watch-calls.js'

export type QuestionHandlers = {
  [Question in keyof AgentAnswers]: (functions: WatchedFunction[]) => AgentAnswers[Question]
}

export interface Looks {
  readonly answers: QuestionHandlers
  /** Leaves the process as it was before: nothing is profiled, counted or watched any more. */
  stop(): void
}

export function createLooks(session: V8Session, language = rememberLanguage()): Looks {
  const window = createWindow()
  const delay = createDelayLook()
  const answers = {
    'requests so far': window.requests,
    ...createCalmLook(window),
    ...delay.answers,
    ...createProfile(session, window),
    ...createWatch(session, window, language),
  }
  return {
    answers,
    stop() {
      delay.stop()
      window.stop()
      session.disconnect() // V8 ends what was started through it
    },
  }
}

type ProfileQuestion = 'profile start' | 'profile again' | 'profile end' | 'count start' | 'count end'

function createProfile(
  session: V8Session,
  window: ReturnType<typeof createWindow>,
): Pick<QuestionHandlers, ProfileQuestion> {
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

function createCalmLook(
  window: ReturnType<typeof createWindow>,
): Pick<QuestionHandlers, 'calm start' | 'calm end'> {
  let before: { utilization: EventLoopUtilization; waited: number }
  return {
    'calm start'() {
      window.start()
      before = { utilization: performance.eventLoopUtilization(), waited: runQueueSeconds() }
      return null
    },
    'calm end'() {
      const busy = performance.eventLoopUtilization(before.utilization).utilization
      const ended = window.end()
      return { ...ended, busy, waited: (runQueueSeconds() - before.waited) / ended.seconds }
    },
  }
}

interface DelayLook {
  readonly answers: Pick<QuestionHandlers, 'delay start' | 'delay end'>
  stop(): void
}

function createDelayLook(): DelayLook {
  let probe: LoopDelayProbe | null = null
  const start = () => {
    probe = startLoopDelayProbe()
    return null
  }
  const end = () => {
    const delays = probe!.stop()
    return { delayMs: { p50: delays.percentile(0.5), p99: delays.percentile(0.99) } }
  }
  return { answers: { 'delay start': start, 'delay end': end }, stop: () => void probe?.stop() }
}

function createWatch(
  session: V8Session,
  window: ReturnType<typeof createWindow>,
  language: Language,
): Pick<QuestionHandlers, 'watch start' | 'watched so far' | 'watch end'> {
  let watch: CallsWatch = { end: () => [], soFar: () => [] }
  return {
    'watch start'(functions) {
      watch = watchCalls(session, functions, language)
      window.start()
      return null
    },
    'watched so far': () => watch.soFar(),
    'watch end': () => ({ requests: window.end().requests, functions: watch.end() }),
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
    requests: () => requests,
    stop: () => unsubscribe(channel, count),
  }
}

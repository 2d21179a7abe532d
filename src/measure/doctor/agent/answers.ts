// What the agent does when it is asked: windows that start and end.

import { subscribe } from 'node:diagnostics_channel'
import { performance, type EventLoopUtilization } from 'node:perf_hooks'
import { runQueueSeconds } from '../../machine/process-resources.js'
import { startLoopDelayProbe, type LoopDelayProbe } from '../../trial/loop-delay.js'
import type { AgentAnswers, Watched, WatchedFunction } from './messages.js'
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

export function createAnswers(session: V8Session): Answers {
  const window = createWindow()
  let skippedUs = 0
  return {
    ...createCalmLook(window),
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
    ...createWatch(session, window),
    'count end': () => ({ ...window.end(), scripts: readCounts(session) }),
  }
}

function createCalmLook(window: ReturnType<typeof createWindow>): Pick<Answers, 'calm start' | 'calm end'> {
  let loop: {
    utilization: EventLoopUtilization
    delays: LoopDelayProbe
    cpu: NodeJS.CpuUsage
    waited: number
  }
  return {
    'calm start'() {
      window.start()
      loop = {
        ...{ utilization: performance.eventLoopUtilization(), delays: startLoopDelayProbe() },
        ...{ cpu: process.cpuUsage(), waited: runQueueSeconds() },
      }
      return null
    },
    'calm end'() {
      const busy = performance.eventLoopUtilization(loop.utilization).utilization
      const delays = loop.delays.stop()
      const delayMs = { p50: delays.percentile(0.5), p99: delays.percentile(0.99) }
      const { user, system } = process.cpuUsage(loop.cpu)
      const ended = window.end()
      const waited = (runQueueSeconds() - loop.waited) / ended.seconds
      return { ...ended, busy, delayMs, waited, cpuMs: (user + system) / 1000 }
    },
  }
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

/** Counts time and requests. */
function createWindow() {
  let requests = 0
  let from = 0
  subscribe('http.server.request.start', () => requests++)
  return {
    start() {
      requests = 0
      from = performance.now()
    },
    end: () => ({ requests, seconds: (performance.now() - from) / 1000 }),
  }
}

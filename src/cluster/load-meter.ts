// What an instance measures of itself: one record in a histogram per request, and nothing while no request comes but a timer
// every ten seconds, which begins a new window.

import { LatencyHistogram } from '../load/latency-histogram.js'
import type { InstanceLoad } from './events.js'

const WINDOW_MS = 10_000
/** How often it samples, while requests come, how late a timer runs. */
const SAMPLE_MS = 20
/** Bounds of what Prometheus gets, in milliseconds: those that its clients have by default. */
const BOUNDS_MS = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]

export interface LoadMeter {
  /** A request has come; gives the time. */
  began(): number
  ended(began: number, isError: boolean): void
  read(): InstanceLoad
}

interface Window {
  readonly startedAt: number
  readonly cpuMs: number
  readonly latencies: LatencyHistogram
  readonly delays: LatencyHistogram
}

export function createLoadMeter(): LoadMeter {
  const older = new LatencyHistogram()
  const sums = { open: 0, errors: 0, totalMs: 0 }
  let last: Window | undefined
  let current = openWindow()

  const turn = () => {
    older.add(current.latencies)
    last = current
    current = openWindow()
  }
  setInterval(turn, WINDOW_MS).unref()

  const sample = createSampler((ms) => current.delays.record(ms))

  return {
    began() {
      sums.open++
      sample()
      return performance.now()
    },
    ended(began, isError) {
      const ms = performance.now() - began
      sums.open--
      sums.totalMs += ms
      if (isError) sums.errors++
      current.latencies.record(ms)
    },
    read() {
      const all = together([older, current.latencies])
      const within = BOUNDS_MS.map((bound) => [bound, all.count - all.countAbove(bound)] as const)
      const { rss, heapUsed } = process.memoryUsage()
      const totals = { requests: all.count, ...sums, within: Object.fromEntries(within) }
      return { ...totals, ...recent(last ? [last, current] : [current]), rss, heapUsed }
    },
  }
}

/** Each call measures once how late a timer runs, unless that is under way. */
function createSampler(record: (ms: number) => void): () => void {
  let isSampling = false
  return () => {
    if (isSampling) return
    isSampling = true
    const due = performance.now() + SAMPLE_MS
    const measure = () => {
      isSampling = false
      record(performance.now() - due)
    }
    setTimeout(measure, SAMPLE_MS).unref()
  }
}

function recent(
  windows: Window[],
): Pick<InstanceLoad, 'perSecond' | 'p50' | 'p99' | 'loopDelay' | 'cpu' | 'cpuMs'> {
  const [{ startedAt, cpuMs: before }] = windows as [Window]
  const latencies = together(windows.map((window) => window.latencies))
  const delays = together(windows.map((window) => window.delays))
  const ms = Math.max(1, performance.now() - startedAt)
  const cpuMs = cpuTime()
  return {
    perSecond: (latencies.count / ms) * 1000,
    p50: latencies.percentile(0.5),
    p99: latencies.percentile(0.99),
    loopDelay: delays.percentile(0.99),
    cpu: (cpuMs - before) / ms,
    cpuMs,
  }
}

function openWindow(): Window {
  return {
    ...{ startedAt: performance.now(), cpuMs: cpuTime() },
    ...{ latencies: new LatencyHistogram(), delays: new LatencyHistogram() },
  }
}

function together(histograms: LatencyHistogram[]): LatencyHistogram {
  const sum = new LatencyHistogram()
  for (const histogram of histograms) sum.add(histogram)
  return sum
}

function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

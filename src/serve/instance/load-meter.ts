// Measures the load of an instance from inside. Each request costs one record in a histogram; without requests only a timer runs every ten
// seconds, which begins a new window.

import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Histogram } from '../../primitives/histogram.js'
import { ownMemory, residentBytes } from '../../primitives/own-memory.js'
import type { InstanceLoad } from '../contract/events.js'
import { isHealthRequest } from './ask-health.js'
import type { Servers } from './watch-servers.js'

const WINDOW_MS = 10_000
/** While requests come, it samples so often how late a timer runs. */
const SAMPLE_MS = 20
/** Bounds of the histogram for Prometheus, in milliseconds: the default ones of its clients. */
const BOUNDS_MS = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]

export interface LoadMeter {
  /** A request has come. Gives its start time, for ended(). */
  began(): number
  ended(began: number, isError: boolean): void
  read(): InstanceLoad
  /** Requests that have no answer yet. */
  open(): number
}

export interface Limits {
  readonly maxMemory: number | null
  readonly maxRequests: number | null
}

/** Called once for each limit that is reached. */
export type OnLimit = (limit: 'maxMemory' | 'maxRequests', found: string) => void

interface Window {
  readonly startedAt: number
  readonly cpuMs: number
  readonly latencies: Histogram
  readonly delays: Histogram
}

export function createLoadMeter({ maxMemory, maxRequests }: Limits, onLimit: OnLimit): LoadMeter {
  const older = new Histogram()
  const sums = { open: 0, errors: 0 }
  let last: Window | undefined
  let current = openWindow()
  const checkMemory = createMemoryCheck(maxMemory, onLimit)
  let left = withJitter(maxRequests)

  setInterval(() => {
    checkMemory()
    older.merge(current.latencies)
    last = current
    current = openWindow()
  }, WINDOW_MS).unref()

  const sample = createSampler((ms) => {
    current.delays.record(ms)
    checkMemory()
  })

  return {
    began() {
      sums.open++
      sample()
      return performance.now()
    },
    ended(began, isError) {
      const ms = performance.now() - began
      sums.open--
      if (isError) sums.errors++
      current.latencies.record(ms)
      if (--left === 0) onLimit('maxRequests', `${older.count + current.latencies.count} requests`)
    },
    open: () => sums.open,
    read() {
      const all = together([older, current.latencies])
      const { rss, heapUsed } = ownMemory()
      const counts = { requests: all.count, ...sums, totalMs: all.sumMs, within: countsWithin(all) }
      return { ...counts, rss: rss ?? 0, heapUsed, ...recent(last ? [last, current] : [current]) }
    },
  }
}

function countsWithin(all: Histogram): Record<string, number> {
  return Object.fromEntries(BOUNDS_MS.map((bound) => [bound, all.count - all.countAbove(bound)]))
}

/** So that not all instances are replaced at once: they started together, and have the same load. */
function withJitter(requests: number | null): number {
  return requests === null ? Infinity : Math.ceil(requests * (1 + Math.random() / 10))
}

/** Memory is read at most so often: a look takes about 10 µs. */
const MEMORY_MS = 1000
/** No check before this age: an instance that needs more than the limit from the start would be replaced again and again. */
const YOUNG_MS = 10_000

function createMemoryCheck(limit: number | null, onLimit: OnLimit): () => void {
  const startedAt = performance.now()
  let isOver = false
  let lookedAt = -Infinity
  return () => {
    const now = performance.now()
    if (limit === null || isOver || now - lookedAt < MEMORY_MS || now - startedAt < YOUNG_MS) return
    lookedAt = now
    const rss = residentBytes() ?? 0
    isOver = rss > limit
    if (isOver) onLimit('maxMemory', `${Math.round(rss / 1024 ** 2)} MB`)
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
    startedAt: performance.now(),
    cpuMs: cpuTime(),
    latencies: new Histogram(),
    delays: new Histogram(),
  }
}

function together(histograms: Histogram[]): Histogram {
  const sum = new Histogram()
  for (const histogram of histograms) sum.merge(histogram)
  return sum
}

function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

// Reports each request to the meter.

interface Started {
  request: IncomingMessage
  response: ServerResponse
}

/** When the request of this response came, while it is open. */
const began = Symbol('began')
type Watched = ServerResponse & { [began]?: number | undefined }

export function watchRequests(servers: Servers, meter: LoadMeter): void {
  // One listener for all responses, with the response as `this`: a closure for each would double the cost.
  function onClose(this: Watched): void {
    if (this[began] === undefined) return
    meter.ended(this[began], !this.writableFinished || this.statusCode >= 500)
    this[began] = undefined
  }
  const watch = ({ request, response }: Started) => {
    if (isHealthRequest(request)) return
    const watched: Watched = response
    if (watched[began] !== undefined) return // with HTTP/2: a server may emit its requests on another one
    watched[began] = meter.began()
    response.on('close', onClose) // is emitted also when the client has gone; 'finish' is not
  }
  // node:http publishes all its requests. A listener on the user's server could change what the server does.
  subscribe('http.server.request.start', (message) => watch(message as Started))
  servers.onServer((server) => {
    // HTTP/2 does not publish. A listener on a server that works with streams alone would change what it does.
    if (server.listenerCount('request') === 0) return
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      if (request.httpVersionMajor >= 2) watch({ request, response })
    })
  })
}

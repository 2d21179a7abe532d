// Runs a load against an HTTP server and says what came of it.

import { createClosedLoop } from './closed-loop.js'
import { ownFault, startCpuMeter, whyLimited, type CpuMeter } from './generator.js'
import type { Histogram } from '../../primitives/histogram.js'
import type { LoadResult } from '../results/load-result.js'
import type { Loop, LoopContext } from './loop.js'
import { OpenLoop } from './open-loop.js'
import { resolveLoadOptions, type LoadOptions, type ResolvedLoad } from './options.js'
import { createTally, steadyRate, type Tally } from './tally.js'

/** How often it looks for what is over: timeouts may be late by this. */
const SWEEP_MS = 10
const PROGRESS_MS = 250
/** Of measured time: where every connection is refused for so long, nobody listens, and more of it tells no more. */
const NOBODY_MS = 1000

/**
 * Sends requests to an HTTP/1.1 server and counts how they end. With `rate` the loop is open: requests are due at intended
 * times, and latency counts from those, also while a request waits for a connection. Without it the loop is closed: each
 * connection has one request at a time, which shows the highest throughput, and latencies that flatter a server that stalls.
 *
 * Resolves after `warmup + duration` seconds, and at most twice `timeout` more for the last answers; a second after `warmup` where every
 * connection is refused. It does not reject because of what the server does. Times are in seconds in the options and in milliseconds in `latency`. The generator runs in this
 * process and thread: one that does anything else meanwhile, such as serving, spoils the figures, and `limited` says so.
 *
 * @throws TW_ERR_INVALID_OPTION (as a rejection) for an option that is not valid, the URL included
 * @example
 * const { latency, throughput, limited } = await load('http://localhost:3000/', { rate: 200, duration: 5 })
 * console.log(latency.p99, throughput, limited)
 */
export async function load(url: string | URL, options: LoadOptions = {}): Promise<LoadResult> {
  return (await loadEvenly(url, options, 0)).result
}

export interface EvenLoad {
  readonly result: LoadResult
  /** Answers per second; where they were few, known better than by their number. */
  readonly answerRate: number
  /** Of the whole run, before the measured time and after it too. */
  readonly answers: number
  /** Mean time of an answer in ms; null where there was none. */
  readonly meanMs: number | null
}

/** The same with connections that begin one after the other within `spreadMs`: slow answers then do not come all at once. */
export async function loadEvenly(
  url: string | URL,
  options: LoadOptions,
  spreadMs: number,
): Promise<EvenLoad> {
  const resolved = resolveLoadOptions(url, options)
  const { duration, warmup, connections, pipelining } = resolved.settings
  const tally = createTally({ from: warmup * 1000, to: (warmup + duration) * 1000 })
  const cpu = await run(resolved, tally, { spreadMs })
  const result = resultOf(resolved, tally, cpu.share())
  const answerRate = steadyRate(tally, connections * pipelining) ?? result.throughput
  return { result, answerRate, answers: tally.answers, meanMs: tally.latencies.meanMs }
}

/**
 * An open loop whose requests are due at these times, in milliseconds, the earliest first; none at `duration` or later. `answerMs` holds how
 * long each took that was due after `warmup`.
 */
export async function loadAtTimes(
  url: string | URL,
  options: LoadOptions,
  times: readonly number[],
): Promise<{ readonly result: LoadResult; readonly answerMs: Histogram }> {
  const { duration = 10, warmup = 0 } = options
  const rate = Math.max(1e-6, times.length / (duration + warmup))
  const resolved = resolveLoadOptions(url, { ...options, duration, warmup, rate })
  const tally = createTally({ from: warmup * 1000, to: (warmup + duration) * 1000 })
  const cpu = await run(resolved, tally, { spreadMs: 0, times })
  return { result: resultOf(resolved, tally, cpu.share()), answerMs: tally.latencies }
}

type WhenSent = Pick<LoopContext, 'spreadMs' | 'times'>

/** Resolves when all is answered, given up, or interrupted. */
function run(load: ResolvedLoad, tally: Tally, when: WhenSent): Promise<CpuMeter> {
  const { signal, settings } = load
  const origin = performance.now()
  const now = () => performance.now() - origin
  const loop = createLoop({ load, tally, now, ...when })
  let cpu = startCpuMeter()
  let isWarmup = true
  let progressAt = PROGRESS_MS

  return new Promise((resolve) => {
    const sweep = () => {
      const time = now()
      if (isWarmup && time >= tally.span.from) {
        isWarmup = false
        cpu = startCpuMeter()
      }
      if (time >= tally.span.to) cpu.end()
      if (time >= progressAt) {
        progressAt = time + PROGRESS_MS
        report(load, tally, time)
      }
      if (loop.sweep(time)) end()
      else if (time >= tally.span.from + NOBODY_MS && isNobodyThere(tally)) interrupt()
    }
    const end = () => {
      clearInterval(timer)
      signal?.removeEventListener('abort', interrupt)
      cpu.end()
      loop.stop(now())
      if (settings.requests !== null) tally.span.to = Math.min(tally.span.to, now())
      resolve(cpu)
    }
    const interrupt = () => {
      tally.span.to = Math.min(tally.span.to, now())
      end()
    }
    const timer = setInterval(sweep, SWEEP_MS)
    if (signal?.aborted) return interrupt()
    signal?.addEventListener('abort', interrupt, { once: true })
    loop.start()
  })
}

function isNobodyThere({ answers, errorsByKind }: Tally): boolean {
  const { connect, ...others } = errorsByKind
  return answers === 0 && connect > 0 && Object.values(others).every((count) => count === 0)
}

function createLoop(context: LoopContext): Loop {
  return context.load.settings.rate === null ? createClosedLoop(context) : new OpenLoop(context)
}

function report({ onProgress }: ResolvedLoad, { span, answers, failures }: Tally, time: number): void {
  const isWarmup = time < span.from
  onProgress?.({ elapsed: time / 1000, total: span.to / 1000, isWarmup, answers, failures })
}

function resultOf({ target, settings, signal }: ResolvedLoad, tally: Tally, cpu: number): LoadResult {
  const { span, latencies, sendDelays, errorsByKind } = tally
  const seconds = Math.max(0, span.to - span.from) / 1000
  const { p50, p99, max } = percentiles(latencies)
  const reason = whyLimited({ cpu, seconds, sendDelays, p99Ms: p99 }) ?? ownFault(tally.messages.connect)
  return {
    version: 1,
    url: target.url,
    loop: settings.rate === null ? 'closed' : 'open',
    settings,
    complete: signal?.aborted !== true,
    seconds,
    requests: tally.requests,
    errors: Object.values(errorsByKind).reduce((sum, count) => sum + count, 0),
    errorsByKind,
    messages: tally.messages,
    statuses: Object.fromEntries(tally.statuses),
    unfinished: tally.unfinished,
    latency: { p50, p90: latencies.percentile(0.9), p99, p999: latencies.percentile(0.999), max },
    throughput: seconds > 0 ? tally.arrived / seconds : 0,
    sent: tally.sent,
    resent: tally.resent,
    waited: tally.waited,
    generatorCpu: cpu,
    sendDelay: settings.rate === null ? null : percentiles(sendDelays),
    limited: reason !== null,
    limitedBecause: reason,
  }
}

function percentiles(times: Histogram): {
  p50: number | null
  p99: number | null
  max: number | null
} {
  return { p50: times.percentile(0.5), p99: times.percentile(0.99), max: times.maxMs }
}

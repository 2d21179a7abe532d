// Starts a server under its CPU limit, and puts loads on it from outside of that limit.

import { createHash } from 'node:crypto'
import { get } from 'node:http'
import { openCpuLimit, type CpuLimit } from '../../cpu/limit/limit-child.js'
import { load, loadEvenly } from '../load/load.js'
import { cpuSecondsOfGroup } from '../machine/process-resources.js'
import type { LoadResult } from '../results/load-result.js'
import { startServer, type StartedServer } from './start-server.js'
import type {
  ServerAnswer,
  LatencyRun,
  RateOf,
  Saturation,
  SaturationPlan,
  ServerTrial,
  StartServerTrial,
} from './server-trial.js'

/** Seconds; short, since an overloaded row would otherwise hold up all others. For a slow page so many times its first answer. */
const TIMEOUT = 4
const TIMEOUT_OF_FIRST = 8
/** And so many times as long as an answer is expected to take. */
const TIMEOUT_OF_PLAN = 3
/** Seconds for the first answer. */
const FIRST_TIMEOUT = 30
/** Connections of an open loop: enough that requests wait for the server, not for a connection. */
const OPEN_CONNECTIONS = 128
const RATE_WARM_UP = 0.1

export const startServerTrial: StartServerTrial = async ({ file, row, args, env, signal }) => {
  const limit = await openCpuLimit(row.cpus)
  let server: StartedServer | undefined
  try {
    server = await startServer({ file, row, args, env, limit, signal })
    const url = `${server.origin}${row.path}`
    const first = await askOnce(url, signal)
    const { status } = first
    if (status < 400) return trialOf(server, { url, limit, first, signal })
    await end(server, limit)
    return { failed: `it answered GET ${row.path} with status ${status}` }
  } catch (error) {
    await end(server, limit)
    return { failed: (error as Error).message }
  }
}

async function end(server: StartedServer | undefined, limit: CpuLimit): Promise<void> {
  await server?.stop()
  await limit.remove()
}

interface Reached {
  readonly url: string
  readonly limit: CpuLimit
  readonly first: FirstAnswer
  readonly signal: AbortSignal | undefined
}

interface Target {
  readonly url: string
  /** Seconds. */
  readonly timeout: number
  readonly signal: AbortSignal | undefined
}

function trialOf(server: StartedServer, { url, limit, first, signal }: Reached): ServerTrial {
  const { method, exact, note } = limit
  const timeout = Math.max(TIMEOUT, (TIMEOUT_OF_FIRST * first.ms) / 1000)
  const reached = { url, timeout, signal }
  return {
    enforcement: { method, exact, note },
    startMs: server.startMs,
    answerBytes: first.bytes,
    firstAnswerMs: first.ms,
    ask: async () => {
      const { status, bytes, hash } = await askOnce(url, signal)
      return { status, bytes, hash }
    },
    saturate: (plan) => saturate(server, reached, plan),
    latencyAt: (rate, ms) => latencyAt(rate, reached, ms),
    liftLimit: () => limit.lift?.(),
    restoreLimit: () => limit.restore?.(),
    stop: () => end(server, limit),
  }
}

/** Its CPU time counts from the first request on: the lead and the end belong to the same load. */
async function saturate(
  { group }: StartedServer,
  { url, timeout, signal }: Target,
  { connections, spreadMs, leadMs, countMs }: SaturationPlan,
): Promise<Saturation> {
  const cpuBefore = cpuSecondsOfGroup(group)
  const before = performance.now()
  const settings = {
    connections,
    duration: countMs / 1000,
    warmup: leadMs / 1000,
    timeout: Math.max(timeout, (TIMEOUT_OF_PLAN * spreadMs) / 1000),
    ...(signal && { signal }),
  }
  const { result, answerRate, answers, meanMs } = await loadEvenly(url, settings, spreadMs)
  const seconds = (performance.now() - before) / 1000
  const cpuAfter = cpuSecondsOfGroup(group)
  const cpuSeconds = cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore
  return {
    throughput: answerRate * goodShare(result),
    answerMs: meanMs,
    cpuMs: cpuSeconds === null || answers === 0 ? null : (1000 * cpuSeconds) / answers,
    isEmpty: result.requests + result.errors === 0,
    ...errorsOf(result),
    timeouts: result.errorsByKind.timeout,
    generatorCpu: result.generatorCpu,
    limitedBecause: result.limitedBecause,
    serverCpus: cpuSeconds === null ? null : cpuSeconds / seconds,
  }
}

async function latencyAt(rateOf: RateOf, { url, timeout, signal }: Target, ms: number): Promise<LatencyRun> {
  const result = await load(url, {
    rate: rateOf.rate,
    duration: ms / 1000,
    warmup: RATE_WARM_UP,
    timeout,
    connections: OPEN_CONNECTIONS,
    ...(signal && { signal }),
  })
  const { p50, p99 } = result.latency
  const { errorRate } = errorsOf(result)
  const { timeout: timeouts } = result.errorsByKind
  return { ...rateOf, p50, p99, errorRate, timeouts, limitedBecause: result.limitedBecause }
}

function goodShare({ statuses, requests }: LoadResult): number {
  const good = Object.entries(statuses).filter(([status]) => Number(status) < 400)
  return requests === 0 ? 0 : good.reduce((sum, [, count]) => sum + count, 0) / requests
}

function errorsOf(result: LoadResult): { errorRate: number; firstError: string | null } {
  const { requests, errors, statuses, messages } = result
  const good = goodShare(result) * requests
  const bad = Object.keys(statuses).find((status) => Number(status) >= 400)
  const firstError = bad === undefined ? (Object.values(messages)[0] ?? null) : `status ${bad}`
  return { errorRate: requests + errors === 0 ? 1 : 1 - good / (requests + errors), firstError }
}

interface FirstAnswer extends ServerAnswer {
  readonly ms: number
}

function askOnce(url: string, signal: AbortSignal | undefined): Promise<FirstAnswer> {
  const asked = performance.now()
  const late = AbortSignal.timeout(FIRST_TIMEOUT * 1000)
  return new Promise((resolve, reject) => {
    const fail = ({ message }: Error) => {
      const why = late.aborted ? `no whole answer within ${FIRST_TIMEOUT} s` : message
      reject(new Error(`it did not answer a request (${why})`))
    }
    const stop = signal ? AbortSignal.any([signal, late]) : late
    const request = get(url, { agent: false, signal: stop }, (response) => {
      let bytes = 0
      const body = createHash('sha256')
      response.on('data', (data: Buffer) => {
        bytes += data.length
        body.update(data)
      })
      response.on('end', () => {
        const ms = performance.now() - asked
        resolve({ status: response.statusCode ?? 0, bytes, hash: body.digest('hex'), ms })
      })
      response.on('error', fail)
    })
    request.on('error', fail)
  })
}

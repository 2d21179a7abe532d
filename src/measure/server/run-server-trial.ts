// Runs one trial: a fresh server under the CPU limit, the load from outside of it. Always comes back with an answer.

import { get } from 'node:http'
import { openCpuLimit, type CpuLimit } from '../../cpu/limit/limit-child.js'
import { load } from '../load/load.js'
import type { LoadResult } from '../results/load-result.js'
import { cpuSecondsOfGroup } from '../machine/process-resources.js'
import { startServer, type StartedServer } from './start-server.js'
import type {
  LatencyRun,
  RateOf,
  RunServerTrial,
  SaturationTrial,
  ServerTrialAnswer,
  ServerTrialRequest,
  FailedTrial,
} from './server-trial.js'

/** Seconds; short, since an overloaded row would otherwise hold up all others. */
const TIMEOUT = 4
/** Connections of an open loop: enough that requests wait for the server, not for a connection. */
const OPEN_CONNECTIONS = 128
const RATE_WARM_UP = 0.1

export const runServerTrial: RunServerTrial = async (request, signal) => {
  const limit = await openCpuLimit(request.row.cpus)
  const { method, exact, note } = limit
  try {
    return { answer: await tryTrial(request, limit, signal), enforcement: { method, exact, note } }
  } finally {
    await limit.remove()
  }
}

async function tryTrial(
  request: ServerTrialRequest,
  limit: CpuLimit,
  signal: AbortSignal | undefined,
): Promise<ServerTrialAnswer> {
  try {
    const { file, row, env } = request
    const server = await startServer({ file, row, env, limit, signal })
    try {
      const url = `${server.origin}${row.path}`
      const { status, bytes } = await askOnce(url)
      if (status >= 400) return failed(`it answered GET ${row.path} with status ${status}`)
      const answer = await (request.rates.length > 0
        ? latency(request, url, signal)
        : saturation(request, { url, server, answerBytes: bytes }, signal))
      return signal?.aborted ? failed('interrupted') : answer
    } finally {
      await server.stop()
    }
  } catch (error) {
    return failed((error as Error).message)
  }
}

interface Target {
  readonly url: string
  readonly server: StartedServer
  readonly answerBytes: number
}

async function saturation(
  { connections, warmUpMs, measureMs }: ServerTrialRequest,
  { url, server, answerBytes }: Target,
  signal: AbortSignal | undefined,
): Promise<SaturationTrial | FailedTrial> {
  await closedLoop(url, { connections, ms: warmUpMs, signal })
  const cpuBefore = cpuSecondsOfGroup(server.group)
  const before = performance.now()
  const result = await closedLoop(url, { connections, ms: measureMs, signal })
  const seconds = (performance.now() - before) / 1000
  const cpuAfter = cpuSecondsOfGroup(server.group)
  const { errorRate, firstError } = errorsOf(result)
  if (errorRate === 1) return failed(`no request was answered: ${firstError ?? 'there was none'}`)
  return {
    kind: 'saturation',
    throughput: result.throughput * goodShare(result),
    ...{ errorRate, firstError, timeouts: result.errorsByKind.timeout },
    ...{ generatorCpu: result.generatorCpu, limitedBecause: result.limitedBecause },
    serverCpus: cpuBefore === null || cpuAfter === null ? null : (cpuAfter - cpuBefore) / seconds,
    ...{ answerBytes, startMs: server.startMs },
  }
}

async function latency(
  { rates, connections, warmUpMs, measureMs }: ServerTrialRequest,
  url: string,
  signal: AbortSignal | undefined,
): Promise<ServerTrialAnswer> {
  await closedLoop(url, { connections, ms: warmUpMs, signal })
  const runs: LatencyRun[] = []
  for (const at of rates) {
    if (signal?.aborted) break
    runs.push(await latencyAt(at, url, { ms: measureMs, signal }))
  }
  return { kind: 'latency', runs }
}

interface Span {
  readonly ms: number
  readonly signal: AbortSignal | undefined
}

async function latencyAt({ share, rate }: RateOf, url: string, { ms, signal }: Span): Promise<LatencyRun> {
  const result = await load(url, {
    ...{ rate, duration: ms / 1000, warmup: RATE_WARM_UP, timeout: TIMEOUT, connections: OPEN_CONNECTIONS },
    ...(signal && { signal }),
  })
  const { p50, p99 } = result.latency
  const { errorRate } = errorsOf(result)
  const { timeout } = result.errorsByKind
  return { share, rate, p50, p99, errorRate, timeouts: timeout, limitedBecause: result.limitedBecause }
}

function closedLoop(
  url: string,
  { connections, ms, signal }: Span & { connections: number },
): Promise<LoadResult> {
  const settings = { connections, duration: ms / 1000, warmup: 0, timeout: TIMEOUT }
  return load(url, { ...settings, ...(signal && { signal }) })
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

function askOnce(url: string): Promise<{ status: number; bytes: number }> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(new Error(`it did not answer a request (${error.message})`))
    const request = get(url, { agent: false, timeout: TIMEOUT * 1000 }, (response) => {
      let bytes = 0
      response.on('data', (data: Buffer) => (bytes += data.length))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes }))
      response.on('error', fail)
    })
    request.on('timeout', () => request.destroy(new Error(`no answer within ${TIMEOUT} s`)))
    request.on('error', fail)
  })
}

function failed(reason: string): FailedTrial {
  return { kind: 'failed', reason }
}

// Asks a path again and again, one request at a time, and reads after each of them which threads used how much CPU time.

import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Demand } from './model/job.js'
import { mean } from '../stats/summary.js'
import { ownQueuedMs, threadTimes, timesBetween, type ThreadTimes } from './thread-times.js'

const MOST = 300
const LEAST = 12
/** For a path: not longer, unless there are too few answers, and then at most this long. */
const MS = 1500
const MOST_MS = 10_000
/** After an answer: the server may do something more for it. */
const AFTER_MS = 1
const TIMEOUT_MS = 30_000
/** Of the answers those are left out in which a thread waited longest for a CPU: another program had its turn. */
const TRIMMED = 0.02

export interface AskedServer {
  readonly origin: string
  readonly path: string
  readonly pid: number
  readonly workerIds: () => readonly number[]
  readonly signal: AbortSignal
}

interface Sample extends ThreadTimes {
  readonly ms: number
}

/** Rejects where a request gets no answer, or a refusal. */
export async function askAlone(asked: AskedServer): Promise<Demand[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    const samples: Sample[] = []
    const began = performance.now()
    for (;;) {
      const elapsed = performance.now() - began
      if (samples.length >= MOST || elapsed > MOST_MS) break
      if (samples.length >= LEAST && elapsed > MS) break
      samples.push(await askOnce(asked, agent))
    }
    return demandsOf(samples)
  } finally {
    agent.destroy()
  }
}

async function askOnce({ origin, path, pid, workerIds, signal }: AskedServer, agent: Agent): Promise<Sample> {
  const before = threadTimes(pid, workerIds())
  const ownBefore = ownQueuedMs()
  const ms = await answerMs(new URL(path, origin), agent, signal)
  const ownQueued = ownQueuedMs() - ownBefore
  await delay(AFTER_MS)
  const after = threadTimes(pid, workerIds())
  if (before === null || after === null)
    throw new Error('/proc does not say how much CPU time its threads used')
  const times = timesBetween(before, after)
  return { ...times, ms, queued: times.queued + ownQueued }
}

/** Rejects where there is no answer, or a refusal. */
function answerMs(url: URL, agent: Agent | false, signal: AbortSignal): Promise<number> {
  const stop = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  return new Promise((resolve, reject) => {
    const asked = performance.now()
    const fail = ({ message }: Error) =>
      reject(new Error(`it did not answer GET ${url.pathname} within ${TIMEOUT_MS / 1000} s (${message})`))
    const sent = request(url, { agent, signal: stop }, (response) => {
      const { statusCode = 0 } = response
      response.on('error', fail)
      response.on('end', () => {
        if (statusCode < 400) resolve(performance.now() - asked)
        else reject(new Error(`it answered GET ${url.pathname} with status ${statusCode}`))
      })
      response.resume()
    })
    sent.on('error', fail)
    sent.end()
  })
}

/**
 * Threads that are neither the main one nor workers are libuv's, on whose work a request waits, or help the garbage collector beside it.
 * Which of them it was, the time of the answers tells: most of their CPU time must have fitted into it.
 */
export function demandsOf(samples: readonly Sample[]): Demand[] {
  const sorted = [...samples].sort((a, b) => a.queued - b.queued)
  const kept = sorted.slice(0, Math.max(1, Math.ceil(sorted.length * (1 - TRIMMED))))
  const restOf = ({ ms, main, pool, queued }: Sample) => Math.max(0, ms - main - pool - queued)
  const other = mean(kept.map((sample) => sample.other))
  const isWaitedFor = other > LEAST_UV_MS && mean(kept.map(restOf)) > IN_THE_WAY * other
  return kept.map((sample) => {
    const rest = restOf(sample)
    const uv = isWaitedFor ? Math.min(sample.other, rest) : 0
    return { main: sample.main, pool: sample.pool, uv, wait: rest - uv }
  })
}

const LEAST_UV_MS = 0.3
const IN_THE_WAY = 0.7

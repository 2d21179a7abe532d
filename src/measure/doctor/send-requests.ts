// The requests that the app gets while it is looked at: doctor's own, or none when somebody else sends them.

import { setMaxListeners } from 'node:events'
import { load } from '../load/load.js'
import type { LoadOptions } from '../load/options.js'
import type { LoadResult } from '../results/load-result.js'
import type { ResolvedDoctor } from './options.js'
import type { AppPlace } from './start-app.js'

/** Of what one connection gets: busy enough to see, and far from the edge. Of slow pages, up to one a second, nearer to it. */
const SHARE_OF_CAPACITY = 0.4
const SHARE_OF_SLOW = 0.8
const MIN_RATE = 0.1
const MAX_RATE = 200
const WARM_UP_SECONDS = 1.5
/** Where hardly anything was answered in that. */
const SLOW_SECONDS = 5
/** Of one request, where doctor makes the app many times slower. */
const PATIENT_SECONDS = 60

export interface Requests {
  /** Per second; null when somebody else sends them. */
  readonly rate: number | null
  /** Milliseconds of an answer, where a path has one connection; null: unknown. */
  readonly answerMs: number | null
  /** While `look` runs, and as long as it takes. `slower`: the rate is divided by it. */
  during<Seen>(look: () => Promise<Seen>, slower?: number): Promise<Seen>
  /** Asks each path once, and resolves when all have answered, however long that takes. */
  once(): Promise<void>
  /** Of those sent so far at the full rate the share whose answers were refusals, or that had none, 0..1. */
  failedShare(): number
  /** How many of them failed, and the first status or message; null: none did. At another rate it is doctor that makes the app slow. */
  failure(): string | null
}

/** Nothing is sent. */
export const requestsOfOthers: Requests = {
  rate: null,
  answerMs: null,
  during: (look) => look(),
  once: async () => {},
  failedShare: () => 0,
  failure: () => null,
}

export async function createRequests(place: AppPlace, options: ResolvedDoctor): Promise<Requests> {
  if (options.forSeconds !== null) return requestsOfOthers
  const [{ origin }, { paths, signal }] = [place, options]
  setMaxListeners(0, signal) // one for each path
  const failures = createFailures()
  const total = paths.reduce((sum, { weight }) => sum + weight, 0)
  const common = commonOptions(place, options)
  const askEach = (how: LoadOptions) =>
    Promise.all(
      paths.map(({ path }) => load(new URL(path, origin), { ...common, connections: 1, ...how, signal })),
    )
  const capacityFor = async (duration: number, warmup: number) =>
    (await askEach({ duration, warmup })).reduce((sum, { throughput }) => sum + throughput, 0)
  let capacity = await capacityFor(WARM_UP_SECONDS / 2, WARM_UP_SECONDS / 2)
  if (options.rate === null && capacity < paths.length) capacity = await capacityFor(SLOW_SECONDS, 0)
  const rate = options.rate ?? rateFor(capacity)
  return {
    rate,
    answerMs: capacity > 0 ? (1000 * paths.length) / capacity : null,
    failedShare: failures.share,
    failure: failures.describe,
    once: async () => void (await askEach({ requests: 1, timeout: PATIENT_SECONDS })),
    async during(look, slower = 1) {
      const end = new AbortController()
      const both = AbortSignal.any([end.signal, signal])
      const loads = paths.map(({ path, weight }) => {
        const share = (rate * weight) / total / slower
        return load(new URL(path, origin), { ...common, rate: share, duration: 600, warmup: 0, signal: both })
      })
      try {
        return await look()
      } finally {
        end.abort()
        const ended = await Promise.all(loads)
        if (slower === 1) ended.forEach(failures.add)
      }
    },
  }
}

function createFailures() {
  let reason: string | null = null
  let [sent, failed] = [0, 0]
  return {
    add: ({ requests, errors, statuses, messages }: LoadResult) => {
      const refused = Object.entries(statuses).filter(([status]) => Number(status) >= 400)
      sent += requests + errors
      failed += errors + refused.reduce((sum, [, count]) => sum + count, 0)
      reason ??= refused[0] ? `status ${refused[0][0]}` : (Object.values(messages)[0] ?? null)
    },
    share: () => (sent === 0 ? 0 : failed / sent),
    describe: () => describeFailure(sent, failed, reason),
  }
}

/** @param capacity answers per second that one connection of each path gets */
export function rateFor(capacity: number): number {
  const rate = Math.min(MAX_RATE, SHARE_OF_CAPACITY * capacity)
  return rate >= 1 ? Math.round(rate) : Math.max(MIN_RATE, Math.min(1, SHARE_OF_SLOW * capacity))
}

function describeFailure(sent: number, failed: number, reason: string | null): string | null {
  if (failed === 0) return null
  const share = `${failed} of ${sent} requests failed (${reason})`
  return failed < sent ? share : `${share}. Name a path that answers, with --path`
}

function commonOptions({ origin, socket }: AppPlace, { method, headers, body }: ResolvedDoctor): LoadOptions {
  return {
    ...(method && { method }),
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
    ...(socket !== null && { socket }),
    ...(origin.startsWith('https:') && { insecure: true }), // of this machine, and mostly a certificate for tests
  }
}

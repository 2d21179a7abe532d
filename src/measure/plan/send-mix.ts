// Puts the mix of all paths on some servers, each request at its time, and says what it took.
//
// There is no balancer in between: the sender itself chooses the server of each request at random, as a balancer would. So it takes no CPU
// time from what is measured.

import { Histogram } from '../../primitives/histogram.js'
import { loadAtTimes } from '../load/load.js'
import { machineCpu, ownCpuMs } from '../machine/machine-cpu.js'
import type { LoadResult } from '../results/load-result.js'
import type { Random } from '../stats/random.js'
import { createArrivals, type Arrivals } from './model/arrivals.js'

/** Requests wait for the server, not for a connection. */
const CONNECTIONS = 128
const TIMEOUT_SECONDS = 20
const WARM_UP_SECONDS = 0.3

export interface MixPlan {
  readonly origins: readonly string[]
  readonly routes: readonly { readonly path: string; readonly share: number }[]
  readonly arrivals: Arrivals
  /** Requests per second, of all servers. */
  readonly rate: number
  readonly seconds: number
  readonly random: Random
  readonly signal: AbortSignal
  /** CPU time that the servers have used, in ms; null where nobody knows. */
  readonly cpuMs: () => number | null
}

export interface MixSeen {
  /** By path: its answers, how long they took, in ms, and the requests that the servers got in the whole of it. */
  readonly routes: readonly {
    readonly sent: number
    readonly answers: number
    readonly p50: number | null
    readonly p99: number | null
  }[]
  readonly answers: number
  /** Requests that the servers got in the whole of it. */
  readonly sent: number
  /** Of all requests, in ms. */
  readonly p99: number | null
  /** Share of the requests without a good answer. */
  readonly failed: number
  /** CPUs that others used; null where nobody knows. */
  readonly otherCpus: number | null
  readonly limitedBecause: string | null
  /** For so long requests were due. */
  readonly dueMs: number
}

export async function sendMix(plan: MixPlan): Promise<MixSeen> {
  const { origins, routes, seconds, signal, cpuMs } = plan
  const machine = machineCpu()
  const marks = () => ({ machine: machine(), servers: cpuMs(), own: ownCpuMs(), at: performance.now() })
  const before = marks()
  const options = {
    duration: seconds,
    warmup: WARM_UP_SECONDS,
    timeout: TIMEOUT_SECONDS,
    signal,
    connections: CONNECTIONS,
  }
  const loads = timesOf(plan).flatMap((byRoute, server) =>
    byRoute.map((times, route) => {
      const url = new URL(routes[route]!.path, origins[server])
      return loadAtTimes(url, options, times).then((seen) => ({ ...seen, route }))
    }),
  )
  const seen = await Promise.all(loads)
  signal.throwIfAborted()
  const after = marks()
  const wallMs = after.at - before.at
  const used = difference(before.machine, after.machine)
  const ofServers = difference(before.servers, after.servers)
  const others = used === null || ofServers === null ? null : used - ofServers - (after.own - before.own)
  return {
    ...together(seen, routes.length),
    dueMs: 1000 * (seconds + WARM_UP_SECONDS),
    otherCpus: others === null ? null : Math.max(0, others / wallMs),
  }
}

/** When each request is due, by server and path. */
function timesOf({ origins, routes, arrivals, rate, seconds, random }: MixPlan): number[][][] {
  const times = origins.map(() => routes.map((): number[] => []))
  const next = createArrivals({ arrivals, rate, share: 1, random })
  const endMs = 1000 * (seconds + WARM_UP_SECONDS)
  for (let time = next(); time < endMs; time = next())
    times[Math.floor(random() * origins.length)]![pickRoute(routes, random)]!.push(time)
  return times
}

export function pickRoute(routes: readonly { readonly share: number }[], random: Random): number {
  let left = random()
  for (const [index, { share }] of routes.entries()) if ((left -= share) < 0) return index
  return routes.length - 1
}

type Seen = Awaited<ReturnType<typeof loadAtTimes>> & { readonly route: number }

function together(seen: readonly Seen[], count: number) {
  const whole = new Histogram()
  const routes = Array.from({ length: count }, (_, route) => {
    const own = seen.filter((each) => each.route === route)
    const histogram = new Histogram()
    for (const { answerMs } of own) {
      histogram.merge(answerMs)
      whole.merge(answerMs)
    }
    const answers = own.reduce((sum, { result }) => sum + goodAnswers(result), 0)
    const sent = own.reduce((sum, { result }) => sum + result.sent, 0)
    return { sent, answers, p50: histogram.percentile(0.5), p99: histogram.percentile(0.99) }
  })
  const answers = routes.reduce((sum, each) => sum + each.answers, 0)
  const due = seen.reduce((sum, { result }) => sum + result.requests + result.errors, 0)
  const limited = seen.find(({ result }) => result.limited)
  return {
    sent: seen.reduce((sum, { result }) => sum + result.sent, 0),
    routes,
    answers,
    p99: whole.percentile(0.99),
    failed: due === 0 ? 1 : 1 - answers / due,
    limitedBecause: limited?.result.limitedBecause ?? null,
  }
}

function goodAnswers({ statuses }: LoadResult): number {
  const good = Object.entries(statuses).filter(([status]) => Number(status) < 400)
  return good.reduce((sum, [, count]) => sum + count, 0)
}

function difference(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : after - before
}

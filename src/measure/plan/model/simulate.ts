// Simulates one of several equal containers, and tells how long its answers took.

import type { Random } from '../../stats/random.js'
import { createArrivals, meanRate, type Arrivals } from './arrivals.js'
import { createContainer, PERIOD_MS, type ContainerShape } from './container.js'
import type { Demand } from './job.js'

/** Of the first requests this share does not count: the container was empty. */
const WARM_UP = 0.05

export interface Simulation {
  readonly shape: ContainerShape
  /** Behind a balancer that chooses one of them, and an instance in it, at random for each request. */
  readonly containers: number
  readonly arrivals: Arrivals
  /** Requests per second of all containers, outside of bursts. */
  readonly rate: number
  /** The demand of the next request, and its route. */
  readonly nextRequest: () => { readonly demand: Demand; readonly route: number }
  readonly requests: number
  readonly random: Random
  /** Where in a cycle of bursts, or in the file of arrivals, it begins, 0 to 1. Default 0. */
  readonly from?: number
}

export interface Simulated {
  /** In ms, of all requests, and of each route, the shortest first. */
  readonly latencies: Float64Array
  readonly byRoute: readonly Float64Array[]
  /** CPUs used, as a share of the limit. */
  readonly use: number
  /** Share of the time in which the main thread of an instance had work. */
  readonly mainBusy: number
  /** Share of the time in which all of it stood still with work, since the quota was spent. */
  readonly frozen: number
  readonly meanMs: number
}

export function simulate(simulation: Simulation): Simulated {
  const { shape, containers, arrivals, rate, nextRequest, requests, random, from = 0 } = simulation
  const seen: number[] = []
  const routes: number[][] = []
  const skipped = Math.floor(WARM_UP * requests)
  let firstMs = Infinity
  const container = createContainer({
    shape,
    phaseMs: PERIOD_MS * random(),
    onAnswer({ arrivedMs, route }, nowMs) {
      if (arrivedMs < firstMs) return
      seen.push(nowMs - arrivedMs)
      ;(routes[route] ??= []).push(nowMs - arrivedMs)
    },
  })
  const next = createArrivals({ arrivals, rate, share: 1 / containers, random, from })
  let time = 0
  for (let index = 0; index < requests; index++) {
    time = next()
    if (index === skipped) firstMs = time
    container.arrive(time, { ...nextRequest(), instance: Math.floor(random() * shape.instances) })
  }
  const { cpu, mainBusy, frozen } = container.sums
  container.drain()
  const latencies = Float64Array.from(seen).sort()
  return {
    latencies,
    byRoute: Array.from(routes, (list = []) => Float64Array.from(list).sort()),
    use: cpu / (time * shape.cpus),
    mainBusy: mainBusy / (time * shape.instances),
    frozen: frozen / time,
    meanMs: latencies.reduce((sum, ms) => sum + ms, 0) / latencies.length,
  }
}

/** The smallest value that a share `p` does not exceed, of sorted values; NaN where there are none. */
export function quantile(sorted: ArrayLike<number>, p: number): number {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(p * sorted.length) - 1))] ?? NaN
}

/** Requests that tell a p99 well, and contain whole cycles of bursts. */
export function enoughRequests(arrivals: Arrivals, rate: number, cycle: number): number {
  const perCycle = arrivals.kind === 'burst' ? meanRate(arrivals, rate) * cycle : 0
  return Math.round(Math.min(MOST, Math.max(LEAST, perCycle)))
}

const LEAST = 4000
const MOST = 60_000

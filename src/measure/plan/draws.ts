// Simulates a configuration several times, each time as the server may be: what was measured is known only to some percent.
//
// The slowest answers take longer than in the model, by what the kernel and the network do: by how much was measured, and is part of each draw.
//
// A draw takes the requests that were measured, with replacement; makes all of them slower or faster by what windows of the same load differ;
// and lets them come at other random times. The draws of all configurations are the same, so that these differ by what they are.

import { normalQuantile } from '../stats/normal-quantile.js'
import { createRandom, shuffle, type Random } from '../stats/random.js'
import { levelUnder, type Calibration, type Route } from './calibration.js'
import { cycleSeconds, meanRate, type Arrivals } from './model/arrivals.js'
import type { ContainerShape } from './model/container.js'
import { enoughRequests, quantile, simulate, type Simulated } from './model/simulate.js'
import { pickRequest } from './pick-request.js'

export const DRAWS = 12
/** At least so much differs from day to day, whatever the windows say. */
const LEAST_SIGMA = 0.05
/** Of the p99: what the model leaves out. With it 79 % of the 80 % intervals held: see docs/planning.md. */
const MODEL_SIGMA = 0.12

export interface DrawPlan {
  readonly calibration: Calibration
  readonly arrivals: Arrivals
  /** Requests per second of all containers, outside of bursts. */
  readonly rate: number
  readonly seed: number
}

export interface Drawn {
  readonly use: number
  readonly busy: number
  readonly frozen: number
  /** Of each draw, in ms. */
  readonly p99s: readonly number[]
  /** By path: medians of the draws, in ms. */
  readonly paths: readonly { readonly p50: number; readonly p99: number }[]
}

export function draw(plan: DrawPlan, shape: ContainerShape, containers: number): Drawn {
  const { calibration, seed } = plan
  const sigma = Math.max(LEAST_SIGMA, calibration.spread)
  const modelSigma = Math.max(MODEL_SIGMA, Math.abs(Math.log(calibration.fit)) / 2)
  const order = createRandom(seed)
  const [levels, errors] = [deviations(order), deviations(order)]
  const runs = levels.map((level, index) =>
    drawOnce(plan, { shape, containers, factor: Math.exp(sigma * level), index }),
  )
  const medianOf = (of: (run: Simulated) => number) => rangeOf(runs.map(of)).value
  return {
    use: medianOf(({ use }) => use),
    busy: medianOf(({ mainBusy }) => mainBusy),
    frozen: medianOf(({ frozen }) => frozen),
    p99s: runs.map(
      ({ latencies }, index) =>
        quantile(latencies, 0.99) * calibration.fit * Math.exp(modelSigma * errors[index]!),
    ),
    paths: calibration.routes.map((_, route) => ({
      p50: medianOf(({ byRoute }) => quantile(byRoute[route] ?? [], 0.5)),
      p99: medianOf(({ byRoute }) => quantile(byRoute[route] ?? [], 0.99) * calibration.fit),
    })),
  }
}

/** Standard deviations, evenly over the normal distribution: fewer draws tell as much. */
function deviations(random: Random): number[] {
  return shuffle(
    Array.from({ length: DRAWS }, (_, index) => normalQuantile((index + 0.5) / DRAWS)),
    random,
  )
}

interface Once {
  readonly shape: ContainerShape
  readonly containers: number
  readonly factor: number
  readonly index: number
}

function drawOnce(plan: DrawPlan, { shape, containers, factor, index }: Once): Simulated {
  const { calibration, arrivals, rate, seed } = plan
  const random = createRandom(seed + 1000 * (index + 1))
  const routes = calibration.routes.map((route) => resampled(route, random))
  const perContainer = meanRate(arrivals, rate) / containers
  const { main, rest } = levelUnder(calibration, perContainer / shape.instances)
  const level = { main: main * factor, rest: rest * factor }
  const cycle = arrivals.kind === 'burst' ? cycleSeconds(arrivals.seconds) : 0
  return simulate({
    shape,
    containers,
    arrivals,
    rate,
    random,
    requests: enoughRequests(arrivals, rate / containers, cycle),
    from: index / DRAWS,
    nextRequest: () => pickRequest(routes, level, random),
  })
}

function resampled(route: Route, random: Random): Route {
  const { demands } = route
  return { ...route, demands: demands.map(() => demands[Math.floor(random() * demands.length)]!) }
}

/** The median, and what four of five lie between. */
export function rangeOf(values: readonly number[]): { value: number; low: number; high: number } {
  const sorted = Float64Array.from(values).sort()
  return { value: between(sorted, 0.5), low: between(sorted, 0.1), high: between(sorted, 0.9) }
}

function between(sorted: Float64Array, p: number): number {
  const place = Math.min(sorted.length - 1, Math.max(0, p * sorted.length - 0.5))
  const below = sorted[Math.floor(place)] ?? NaN
  const above = sorted[Math.ceil(place)] ?? NaN
  return below + (place - Math.floor(place)) * (above - below)
}

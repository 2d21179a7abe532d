// What is tried: forms of a container, and for each of them the fewest containers that may bear the load.

import { cpus as hostCpus } from 'node:os'
import { levelUnder, meanDemand, type Calibration } from './calibration.js'
import { meanRate, type Arrivals } from './model/arrivals.js'
import type { ContainerShape } from './model/container.js'
import type { MovedWork } from './moved-work.js'

/** Above this use a few percent more work make the p99 many times longer. */
export const EDGE = 0.85
const UV_THREADS = 4

export interface Form {
  readonly shape: ContainerShape
  readonly calibration: Calibration
  /** Paths whose work would have to move to threads first. */
  readonly moves: readonly string[]
}

/** One process up to one for each CPU; with threads, where work can move to them, in one process. */
export function formsOf(
  calibration: Calibration,
  moved: MovedWork | null,
  limits: readonly number[],
): Form[] {
  return limits.flatMap((cpus) => {
    const { threads } = calibration
    const today = instancesOf(cpus).map((instances) => formOf(calibration, { cpus, instances, threads }))
    if (moved === null) return today
    const size = { cpus, instances: 1, threads: Math.max(1, Math.ceil(cpus) - 1) }
    return [...today, { ...formOf(moved.calibration, size), moves: moved.paths }]
  })
}

/** Of an app as it is. */
export function formOf(
  calibration: Calibration,
  size: Pick<ContainerShape, 'cpus' | 'instances' | 'threads'>,
): Form {
  const cores = Math.max(hostCpus().length, Math.ceil(size.cpus))
  return { shape: { ...size, cores, shadow: calibration.shadow }, calibration, moves: [] }
}

/** 1, 2, 4 .. and one for each CPU. */
function instancesOf(cpus: number): number[] {
  const most = Math.max(1, Math.floor(cpus))
  const powers = Array.from({ length: 7 }, (_, power) => 2 ** power).filter((count) => count < most)
  return [...powers, most]
}

export interface Uses {
  /** Of the limit, of the main threads, of the pools and of libuv's threads: 1 is all of the time. */
  readonly cpus: number
  readonly main: number
  readonly pool: number
  readonly uv: number
}

/** What a load needs of its containers, by the means: operational laws, without a simulation. */
export function cpuUses({ shape, calibration }: Form, perSecond: number, containers: number): Uses {
  const { cpus, instances, threads, shadow } = shape
  const perInstance = perSecond / containers / instances
  const level = levelUnder(calibration, perInstance)
  const { main, pool, uv } = meanDemand(calibration.routes)
  const [onMain, onPool, onUv] = [main * level.main, pool * level.rest, uv * level.rest]
  return {
    cpus: (perInstance * instances * (onMain * (1 + shadow) + onPool + onUv)) / 1000 / cpus,
    main: (perInstance * onMain) / 1000,
    pool: (perInstance * onPool) / 1000 / Math.max(1, threads),
    uv: (perInstance * onUv) / 1000 / UV_THREADS,
  }
}

/** What is used most. */
export function tightest({ cpus, main, pool, uv }: Uses): number {
  return Math.max(cpus, main, pool, uv)
}

/** The fewest containers whose use stays below the edge on average. */
export function fewestContainers(form: Form, arrivals: Arrivals, rate: number): number {
  const mean = meanRate(arrivals, rate)
  for (let containers = 1; ; containers++) {
    const most = tightest(cpuUses(form, mean, containers))
    if (most <= EDGE) return containers
    // Use falls about as their number grows, so most of the way is one step.
    containers = Math.max(containers, Math.floor((containers * most) / EDGE) - 1)
  }
}

const MOST_PER_SECOND = 1e6

/** Requests per second at which so much of what limits a container is used; 1: as many as it can answer. */
export function rateAt(form: Form, use: number): number {
  let [low, high] = [0, MOST_PER_SECOND]
  for (let round = 0; round < 60; round++) {
    const middle = (low + high) / 2
    if (tightest(cpuUses(form, middle, 1)) < use) low = middle
    else high = middle
  }
  return low
}

// What the app would cost if the work of its long paths moved to threads. This is an assumption: nothing of it was measured.

import { mean } from '../stats/summary.js'
import { meanDemand, type Calibration, type Route } from './calibration.js'
import type { Movable } from './from-doctor.js'

/** Shorter work is not worth the way to a thread and back. */
const LEAST_MS = 2
/** What stays on the main thread: reading the request, writing the answer. */
const STAYS = 0.1
/** On the main thread, to hand a call over and to take its result. */
const HANDING_OVER_MS = 0.1

export interface MovedWork {
  readonly calibration: Calibration
  readonly paths: readonly string[]
}

/** Null where nothing is long enough, or the app has a pool already. */
export function moveWork(calibration: Calibration, movable: Movable | null): MovedWork | null {
  if (calibration.threads > 0) return null
  const { main: level } = calibration.levels.at(-1)!
  const isLong = (route: Route) => level * mean(route.demands.map(({ main }) => main)) >= LEAST_MS
  const long = calibration.routes.filter(isLong)
  if (long.length === 0) return null
  const part = Math.min(1 - STAYS, shareOfMain(long, calibration, movable))
  const routes = calibration.routes.map((route) => (isLong(route) ? moved(route, part) : route))
  return { calibration: { ...calibration, routes }, paths: long.map(({ path }) => path) }
}

/** Of the long paths: what doctor has found, or nearly all. */
function shareOfMain(long: readonly Route[], { levels }: Calibration, movable: Movable | null): number {
  if (movable === null) return 1 - STAYS
  return movable.msPerRequest / (levels.at(-1)!.main * meanDemand(long).main)
}

function moved(route: Route, part: number): Route {
  return {
    ...route,
    demands: route.demands.map((each) => ({
      ...each,
      main: each.main * (1 - part) + HANDING_OVER_MS,
      pool: each.main * part,
    })),
  }
}

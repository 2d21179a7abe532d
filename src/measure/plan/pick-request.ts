// Draws the next request of the mix: its path, and one of the requests that were measured there.

import type { Random } from '../stats/random.js'
import type { Level, Route } from './calibration.js'
import type { Demand } from './model/job.js'
import { pickRoute } from './send-mix.js'

export function pickRequest(
  routes: readonly Route[],
  level: Pick<Level, 'main' | 'rest'>,
  random: Random,
): { demand: Demand; route: number } {
  const route = pickRoute(routes, random)
  const { demands } = routes[route]!
  const { main, pool, uv, wait } = demands[Math.floor(random() * demands.length)]!
  return { demand: { main: main * level.main, pool: pool * level.rest, uv: uv * level.rest, wait }, route }
}

// What calibration finds, and what follows from it for a process that is as busy as wanted.

import type { Demand } from './model/job.js'
import { mean } from '../stats/summary.js'

export interface Route {
  readonly path: string
  /** Of all requests, 0 to 1. */
  readonly share: number
  /** Of single requests, measured one at a time. */
  readonly demands: readonly Demand[]
}

/** What requests cost a process that is busy so much, as a multiple of what they cost one at a time. */
export interface Level {
  /** Share of the time that the main thread works. */
  readonly busy: number
  readonly main: number
  /** On other threads. */
  readonly rest: number
}

export interface Calibration {
  readonly routes: readonly Route[]
  /** The one that is less busy first. */
  readonly levels: readonly Level[]
  /** Between windows of the same load, as a share. */
  readonly spread: number
  /** p99 of the answers at the higher load, over that of the model, as far as that is no chance: predictions are longer by as much. */
  readonly fit: number
  /** Requests per second of the higher load. */
  readonly at: number
  /** CPU time of helper threads for each millisecond of the main thread. */
  readonly shadow: number
  /** Of the app's own pool; 0: it has none. */
  readonly threads: number
  readonly memoryBytes: number | null
  /** Why it cannot be relied on; null: it can. */
  readonly disturbed: string | null
}

/** Milliseconds for a request of the mix, one at a time. */
export function meanDemand(routes: readonly Route[]): Demand {
  const of = (part: keyof Demand) =>
    routes.reduce((sum, { share, demands }) => sum + share * mean(demands.map((each) => each[part])), 0)
  return { main: of('main'), pool: of('pool'), uv: of('uv'), wait: of('wait') }
}

/** Between the two that were measured on the straight line through them; beyond them the nearer one. */
export function levelAt(levels: readonly Level[], busy: number): Level {
  const [low, high] = [levels[0]!, levels.at(-1)!]
  const span = high.busy - low.busy
  const part = span <= 0 ? 0 : Math.min(1, Math.max(0, (busy - low.busy) / span))
  const between = (a: number, b: number) => a + part * (b - a)
  return { busy, main: between(low.main, high.main), rest: between(low.rest, high.rest) }
}

/** Where a process gets so many requests per second: a busier process works faster, so this is found by trying. */
export function levelUnder({ routes, levels }: Calibration, perSecond: number): Level {
  const { main } = meanDemand(routes)
  let level = levels.at(-1)!
  for (let round = 0; round < 8; round++) level = levelAt(levels, (perSecond * main * level.main) / 1000)
  return level
}

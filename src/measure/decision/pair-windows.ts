// Puts each window of a process beside the baseline's windows before and after it.

import type { Pair } from '../stats/ratio-estimator.js'
import { mean } from '../stats/summary.js'
import type { Window } from './world.js'

/** A baseline's window counts as a neighbour within ten windows and this many ms: the speed of a machine has changed by then. */
const NEAR = { windows: 10, ms: 300 }

export type Which = (window: Window) => boolean

/** @param windows in the order of time. Those that are not usable are left out, with the pairs that they would be in. */
export function pairWindows(
  windows: readonly Window[],
  { isOwn, isBase, isUsable }: { isOwn: Which; isBase: Which; isUsable: Which },
): Pair[] {
  const pairs: Pair[] = []
  windows.forEach((window, index) => {
    if (!isOwn(window) || !isUsable(window)) return
    const neighbours = [-1, 1].flatMap((step) => {
      const base = nearest(windows, index, step, isBase)
      return base && isUsable(base) && isNear(window, base) ? [base.rate] : []
    })
    if (neighbours.length > 0) pairs.push({ rate: window.rate, base: mean(neighbours) })
  })
  return pairs
}

function nearest(windows: readonly Window[], from: number, step: number, isBase: Which): Window | undefined {
  for (let index = from + step; index >= 0 && index < windows.length; index += step)
    if (isBase(windows[index]!)) return windows[index]
  return undefined
}

function isNear(a: Window, b: Window): boolean {
  return Math.abs(a.atMs - b.atMs) < NEAR.windows * a.wallMs + NEAR.ms
}

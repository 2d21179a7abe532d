// When there should be more or fewer instances: a pure rule over what was seen at each look.
//
//   more    busy for 2 looks, or with many open requests, and the CPU budget leaves something for another one
//   fewer   idle for 12 looks, and one instance less would still be neither
//
// Two thresholds far apart, and a count that begins anew after each change: else a load between two numbers of instances would
// make it go up and down for ever, and each start costs CPU time.

import type { ScalingSettings } from '../contract/scaling-options.js'

/** What was seen since the last look. */
export interface LoadSeen {
  /** Instances that there should be. */
  readonly wanted: number
  /** How much of the time their event loops were busy, 0 to 1, on average. */
  readonly busy: number
  /** Requests that were open in each, on average. */
  readonly open: number
  /** CPUs that they used together. */
  readonly cpus: number
}

export interface ScalingRule {
  /** How many there should be from now on. */
  next(look: LoadSeen): number
}

const LOOKS_UP = 2
const LOOKS_DOWN = 12
/** Looks after a change at which nothing is counted: a new instance has to warm up, and takes CPU for that. */
const LOOKS_REST = 2
/** Of the budget: above, the instances wait for each other, and another one would wait too. */
const FULL = 0.95

export function createScalingRule(
  { min, max, up, down, queue }: ScalingSettings,
  budget: number,
): ScalingRule {
  let rest = 0
  let high = 0
  let low = 0
  return {
    next({ wanted, busy, open, cpus }) {
      if (rest-- > 0) return wanted
      const hasRoom = cpus < budget * FULL
      high = (busy >= up || open > queue) && hasRoom ? high + 1 : 0
      const growth = wanted / (wanted - 1)
      const staysBelow = busy * growth < up && open * growth <= queue
      low = busy <= down && staysBelow ? low + 1 : 0
      const isUp = high >= LOOKS_UP && wanted < max
      if (!isUp && !(low >= LOOKS_DOWN && wanted > min)) return wanted
      rest = LOOKS_REST
      high = low = 0
      return isUp ? wanted + 1 : wanted - 1
    },
  }
}

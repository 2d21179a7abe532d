// Long calls: which cells the time is enough for.

import type { Scout } from './results/result.js'
import { areTogether } from './world/plan-window.js'
import type { Entry } from './world/task-world-options.js'
import type { Family } from './plan-cells.js'

/** Each cell makes about so many calls one after the other: to warm up, and in the windows that a verdict needs. */
const CALLS = 6

/** Calls shorter than this always fit. */
const LONG_US = 100_000

/** What to leave out, in this order, until the rest fits. */
const LESS: readonly ((entry: Entry, all: readonly Entry[]) => boolean)[] = [
  ({ role }) => role === 'control',
  ({ cell }) => cell.executor === 'bullmq',
  ({ cell }) => cell.executor === 'processes',
  ({ cell }, all) => cell.executor === 'threads' && cell.size < largest(all),
]

export interface Fitted {
  readonly entries: readonly Entry[]
  /** What was left out. */
  readonly dropped: readonly Entry[]
  /** Seconds that even the least would need; null: it fits. */
  readonly neededSeconds: number | null
}

/** @param seconds for this family */
export function fitBudget({ entries, cpus }: Family, scout: Scout, seconds: number): Fitted {
  const needed = (list: readonly Entry[]) => secondsFor(list, scout, cpus)
  let left = entries
  for (const isDropped of [() => false, ...LESS]) {
    left = left.filter((entry) => !isDropped(entry, left))
    if (needed(left) <= seconds || scout.callUs < LONG_US) break
  }
  const dropped = entries.filter((entry) => !left.includes(entry))
  const isEnough = needed(left) <= seconds || scout.callUs < LONG_US
  return { entries: left, dropped, neededSeconds: isEnough ? null : Math.ceil(needed(left)) }
}

/** Calls that hardly use a CPU are made at the same time in all cells; others take turns, with inline beside each. */
function secondsFor(entries: readonly Entry[], scout: Scout, cpus: number): number {
  const callSeconds = scout.callUs / 1e6 / (areTogether(scout) ? 1 : Math.min(1, cpus))
  const turns = areTogether(scout) ? 1 : 2 * Math.max(1, entries.length - 1)
  return CALLS * turns * callSeconds
}

function largest(entries: readonly Entry[]): number {
  return Math.max(...entries.filter(({ cell }) => cell.executor === 'threads').map(({ cell }) => cell.size))
}

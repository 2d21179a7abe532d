// One look at the race: who leaves, and whether it is decided.

import { BAND, CLEAR, KEEP_BY, type Rules } from './rules.js'
import { halfWidth, isBehind, isHopeless, isKnown, type Standing } from './standing.js'

/** `run`: the best is worth it. `keep`: nothing is. */
export type Decided = 'run' | 'keep'

export interface Race {
  /** Rivals that may still be advised, and were not given up. */
  readonly live: readonly string[]
  /** All that are known of rivals, of those that have left too. */
  readonly standings: ReadonlyMap<string, Standing>
  readonly rules: Rules
  /** Share of the time that is gone. */
  readonly elapsed: number
}

export interface RaceLook {
  readonly leaving: readonly string[]
  readonly decided: Decided | null
}

export function look(field: Race): RaceLook {
  const { live, standings, rules } = field
  if (live.length === 0) return { leaving: [], decided: 'keep' }
  const known = live.filter((name) => (standings.get(name)?.pairs ?? 0) >= rules.fewestWindows)
  if (known.length < live.length) return { leaving: [], decided: null }
  if (rules.duel !== null) return { leaving: [], decided: settled(known, field) }
  if (rules.isSurvey) return { leaving: [], decided: surveyed(known, field) }
  const best = bestOf(known, standings)
  const leaving = known.filter((name) => name !== best && mayLeave(name, best, field))
  return { leaving, decided: decide(best, leaving, field) }
}

function settled(names: readonly string[], { standings, rules }: Race): Decided | null {
  const isDone = (name: string) => {
    const { mean, low, high, processes } = standings.get(name)!
    return processes >= 2 && rules.duel!.isEnough({ value: Math.exp(mean), low, high })
  }
  return names.every(isDone) ? 'run' : null
}

/** Each must be known well enough, from two processes. */
function surveyed(names: readonly string[], { standings, rules }: Race): Decided | null {
  const isDone = (name: string) => {
    const standing = standings.get(name)!
    return standing.processes >= 2 && halfWidth(standing) <= rules.precision
  }
  return names.every(isDone) ? 'run' : null
}

export function bestOf(names: readonly string[], standings: ReadonlyMap<string, Standing>): string {
  return names.reduce((a, b) => (standings.get(b)!.mean > standings.get(a)!.mean ? b : a))
}

function mayLeave(name: string, best: string, { standings, rules }: Race): boolean {
  const own = standings.get(name)!
  return isKnown(own) && (isBehind(own, standings.get(best)!) || isHopeless(own, rules.worth))
}

function decide(best: string, leaving: readonly string[], field: Race): Decided | null {
  const { live, standings, rules, elapsed } = field
  const standing = standings.get(best)!
  const { low, high, mean, sd, processes } = standing
  const isNarrow = halfWidth(standing) <= rules.precision
  const staying = live.filter((name) => !leaving.includes(name))
  if (staying.every((name) => standings.get(name)!.high < rules.worth)) {
    // How much worse the best of the others is may still be of use, but not at any price.
    const isSlower = high < 1 / (1 + BAND)
    return isSlower || isNarrow || elapsed > KEEP_BY ? 'keep' : null
  }
  const isReplicated = processes >= 2 || low > CLEAR
  const isOffWorth = Math.abs(mean - Math.log(rules.worth)) > 1.96 * sd
  return low > 1 + BAND && mean > Math.log(rules.worth) && isReplicated && isNarrow && isOffWorth
    ? 'run'
    : null
}

// Under a CPU quota: at which moments its periods begin. Found by spinning until the kernel freezes the process, some times.

/** The kernel's default, and that of Docker, Kubernetes and systemd. */
export const PERIOD_MS = 100

/** A gap in a spinning loop that is longer than this may be a freeze. */
const FREEZE_MS = 6
/** Freezes end together where they end within so many ms of a period. */
const TOGETHER_MS = 3

export interface Freeze {
  readonly gapMs: number
  readonly endMs: number
}

/** Spins for `periods` periods and a half. */
export function spinForFreezes(periods: number): Freeze[] {
  const freezes: Freeze[] = []
  const until = performance.now() + PERIOD_MS * (periods + 0.5)
  for (let last = performance.now(); last < until;) {
    const now = performance.now()
    if (now - last > FREEZE_MS) freezes.push({ gapMs: now - last, endMs: now })
    last = now
  }
  return freezes
}

/**
 * Where in a period its beginning lies (0..100 ms of performance.now()): the end of the longest freezes, if most of them end together.
 * Null where they do not: there is no quota, or it is not used up. The kernel keeps this phase for the life of a cgroup.
 */
export function phaseOf(freezes: readonly Freeze[], periods: number): number | null {
  const longest = [...freezes].sort((a, b) => b.gapMs - a.gapMs).slice(0, periods - 1)
  const phases = longest.map(({ endMs }) => modulo(endMs))
  const agreeing = (phase: number) => phases.filter((other) => distance(phase, other) < TOGETHER_MS).length
  const found = phases.find((phase) => agreeing(phase) >= 2 && agreeing(phase) > phases.length / 2)
  return found ?? null
}

/**
 * Milliseconds from `now` until a period begins, at least `least`. Where the phase is not known, two periods: in the second one each quota
 * begins as in all later ones.
 */
export function leadUntilPeriod(phase: number | null, now: number, least: number): number {
  return phase === null ? 2 * PERIOD_MS : least + modulo(phase - now - least)
}

/**
 * Calls per second that a quota of so many CPUs pays for. Calls that end before a period does have borrowed from it: they would not go on
 * as fast.
 *
 * @param usedMs CPU time that so many calls have used
 */
export function payableRate(calls: number, usedMs: number, cpus: number): number {
  return usedMs > 0 ? (1000 * calls * cpus) / usedMs : Infinity
}

function modulo(ms: number): number {
  return ((ms % PERIOD_MS) + PERIOD_MS) % PERIOD_MS
}

function distance(a: number, b: number): number {
  return Math.min(Math.abs(a - b), PERIOD_MS - Math.abs(a - b))
}

// The numbers that a decision follows. docs/measuring.md says what each of them does.

import type { Interval } from '../results/result.js'

export interface Rules {
  /** When it must end, in seconds on the clock of the run. */
  readonly until: number
  /** How often as fast as the baseline something must be to be advised. */
  readonly worth: number
  /** Half-width of the interval, as a share, at which a winner is known well enough. */
  readonly precision: number
  /** Windows of each candidate before anybody leaves. */
  readonly fewestWindows: number
  /** At most so many rounds. */
  readonly rounds: number
  /** All candidates are of interest: nobody leaves, and it goes on until each is known well enough. */
  readonly isSurvey: boolean
  /** CPUs of the machine, for the share that others use. */
  readonly machineCpus: number
  /** False: this rival is measured, but cannot be advised. */
  readonly isEligible: (name: string) => boolean
  /** Candidates are versions of one thing, which differ by little; null: they are what may be run instead of the baseline. */
  readonly duel: Duel | null
}

/** How versions are compared: in pairs of windows that nothing else shares, by several processes of each. */
export interface Duel {
  /** Of each version, from the start on. */
  readonly processes: number
  /** Scale of the spread between processes of one version, as a logarithm. */
  readonly spread: number
  /** The accepted chance that an interval misses the truth at any look, on either side. */
  readonly alpha: number
  /** Whether this interval says enough. */
  readonly isEnough: (ratio: Interval) => boolean
}

export const DEFAULT_RULES: Omit<Rules, 'until'> = {
  worth: 1.2,
  precision: 0.1,
  fewestWindows: 6,
  rounds: Infinity,
  isSurvey: false,
  machineCpus: 1,
  isEligible: () => true,
  duel: null,
}

/** A smaller difference is not worth a change of the code, however certain it is. */
export const BAND = 0.05

/** The accepted chance of a false "faster" in any candidate, and of a false upper bound in one. */
export const ALPHA = 0.05

/** A window in which others used more CPUs than this is left out, with its pairs. */
export const OTHER_CPUS = 0.25

/** Seconds: the first look, and from one to the next. */
export const LOOKS = { first: 1.5, then: 1 }

/** Standard deviations for leaving early, and for "slower" of those that leave. */
export const RACING = { behind: 2.5, slower: 2.8 }

/** Windows after which who cannot win leaves, though it is not known how slow it is. */
export const ENOUGH_WINDOWS = 20

/**
 * Second processes start at this share of the time, or once at most two rivals are left with so many windows each; in a long run
 * further ones follow every so many seconds, since what one process shows is never surer than the spread between them.
 */
export const REPLICATION = { share: 0.5, windows: 24, latest: 0.85, every: 20 }

/** One process is enough only for a gain whose lower bound is above this. */
export const CLEAR = 1.5

/** Share of the time after which "keep" waits no longer for a narrow interval. */
export const KEEP_BY = 0.6

/** Share of the time spent waiting, in all, for others to come to rest. */
export const WAITING_SHARE = 0.25

/** Processes of one candidate: one that has used up its memory is replaced so often. */
export const MAX_PROCESSES = 5

// What a decision is made about, and what it takes from outside: real processes and a clock, or a simulated world of known truth.

import type { Random } from '../stats/random.js'

/** `baseline`: what the others are compared with. `control`: measured, but never advised, so it does not hold up the decision. */
export type Role = 'baseline' | 'rival' | 'control'

export interface Candidate {
  readonly name: string
  readonly role: Role
}

/** What a process did in one window. */
export interface Reading {
  /** When the window began, in ms on the clock of the run, and how long it took with its lead and its end. */
  readonly atMs: number
  readonly wallMs: number
  /** Calls per second. */
  readonly rate: number
  /** Calls per second of CPU time, where that is asked for; null where nobody knows. */
  readonly cpuRate?: number | null
  /** CPUs that others used meanwhile; null where nobody knows. */
  readonly otherCpus: number | null
  /** It has piled up so much memory that another process must take its place. */
  readonly isWorn?: boolean
}

export interface Failure {
  readonly failed: string
}

/** A process of a candidate: it works only while it is measured. */
export interface Contender {
  measure(): Promise<Reading | Failure>
  close(): Promise<void>
}

export interface World<C extends Candidate> {
  readonly random: Random
  /** Seconds since the run began. */
  seconds(): number
  /** Starts a process for each, in this order, all alive at once, and warms them up. What it throws ends the run. */
  open(candidates: readonly C[]): Promise<readonly (Contender | Failure)[]>
  /** True: all work at the same time, since they hardly need a CPU. */
  readonly areTogether?: boolean
  /** Waits until others have come to rest, at most so many seconds; gives those that it took. */
  waitForQuiet(seconds: number): Promise<number>
  /** True once the user wants no more. */
  isStopped(): boolean
  /** Told at each look how many are still in the race, and who leads it. */
  onLook?:
    ((live: number, best: { readonly name: string; readonly ratio: number } | null) => void) | undefined
}

/** A reading, and whose it is. */
export interface Window extends Reading {
  readonly candidate: string
  /** Number of the process, from 0. */
  readonly process: number
  /** In a duel: it and the window of the other version have one number. */
  readonly pair?: number
}

// What open and closed loop have in common.

import { LoadConnection, type ConnectionEvents } from './connection.js'
import type { ResolvedLoad } from './options.js'
import type { Tally } from './tally.js'

/** A way to decide when requests are sent. Times are in milliseconds from the start of the run. */
export interface Loop {
  start(): void
  /** Called every few milliseconds: gives up what is too old. True when nothing is left to do. */
  sweep(now: number): boolean
  /** Ends at once; what has no answer yet is counted as unfinished. */
  stop(now: number): void
}

export interface LoopContext {
  readonly load: ResolvedLoad
  readonly tally: Tally
  /** Milliseconds from the start of the run. */
  readonly now: () => number
  /** Of a closed loop: the first milliseconds, within which its connections begin one after the other. */
  readonly spreadMs: number
  /** Of an open loop: when each request is due, the earliest first. Default: at the rate. */
  readonly times?: readonly number[] | undefined
}

export function createConnections(
  { load, tally }: LoopContext,
  onOutcome: ConnectionEvents['onOutcome'],
): LoadConnection[] {
  const events: ConnectionEvents = {
    onOutcome,
    onSent: () => void tally.sent++,
    onResent: (count) => void (tally.resent += count),
  }
  const { connections, timeout } = load.settings
  return Array.from({ length: connections }, () => new LoadConnection(load.target, events, timeout * 1000))
}

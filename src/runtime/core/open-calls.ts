// What all pools know of the calls that they have accepted and not answered yet: how many there are, how they end, and who may end them.

import { watchCancellation, type Cancellation } from '../executor/cancel-or-timeout.js'
import type { RunOptions } from '../executor/executor.js'
import type { Outcome } from '../executor/stats.js'
import { NO_ARGS } from './call-listener.js'
import type { CallTiming, Observer } from './observer.js'
import { warnWhenSlow } from './slow-call.js'

export interface OpenCall {
  readonly name: string
  /** Empty once it has settled: whoever still holds the call must not hold what its caller gave it. */
  args: readonly unknown[]
  isSettled: boolean
  /** Of a call that is timed. */
  timing: CallTiming | undefined
}

export class OpenCalls {
  /** Calls that are not settled. */
  open = 0
  /** Calls that are, by how they have ended. */
  readonly counts: Record<Outcome, number> = { completed: 0, failed: 0, cancelled: 0 }
  readonly observer: Observer
  readonly #onIdle: () => void

  /** `onIdle`: none is open any more. */
  constructor(observer: Observer, onIdle: () => void) {
    this.observer = observer
    this.#onIdle = onIdle
  }

  /** `hasRun`: it has started. `calls`: for how many of its function it stands. Then leave() is to be called. */
  settle(call: OpenCall, outcome: Outcome, hasRun: boolean, calls = 1): void {
    call.isSettled = true
    if (call.timing) this.observer.settle(call.timing, call.name, outcome)
    this.count(outcome, hasRun, calls)
    call.args = NO_ARGS
  }

  count(outcome: Outcome, hasRun: boolean, calls = 1): void {
    this.counts[outcome] += calls
    if (hasRun) this.observer.ran += calls
  }

  leave(): void {
    if (--this.open === 0) this.#onIdle()
  }
}

export interface Watcher {
  /** Settles the call with this reason, and cancels its task. */
  readonly giveUp: (reason: unknown, outcome: 'cancelled' | 'failed') => void
  /** It has run for longer than `warnAfter`. */
  readonly warn: (ranMs: number) => void
  /** See watchCancellation(). */
  readonly hasStarted?: () => boolean
}

/** Who may end a call early: its signal and its time limits. And who is warned when it takes long. */
export function watchOpen(name: string, options: RunOptions, watcher: Watcher): Cancellation {
  const { signal, warnAfter } = options
  const { giveUp, warn, hasStarted } = watcher
  const cancel = (reason: unknown) => giveUp(reason, signal?.aborted ? 'cancelled' : 'failed')
  const watch = watchCancellation(name, options, cancel, hasStarted)
  return warnAfter === undefined ? watch : warnWhenSlow(watch, warnAfter, warn)
}

// What a call tells its caller before it ends: the items of a stream, and progress.

import type { RunOptions } from '../executor/executor.js'

export interface CallListener {
  /** It wants the items of what the task returns, not the result. */
  readonly isStream: boolean
  /** Items that may be ahead of the caller, to begin with. */
  readonly window: number
  readonly wantsProgress: boolean
  /** The list is the listener's from then on. */
  items(values: unknown[]): void
  progress(value: unknown): void
  /** Something came that cannot be read: fails the call. */
  refuse(reason: unknown): void
  /** Before the call can start; where it waits for room in a full pool, first with what it may do there. */
  connect(control: CallControl): void
}

/** What a listener may do to its call. */
export interface CallControl {
  /** The caller of a stream can take so many items more. */
  grant(count: number): void
  /** It takes no more: the task ends, and then the call; after gracePeriod the call fails with STOPPED. */
  stop(): void
  /** Settles the call now, and cancels the task. */
  fail(reason: unknown): void
}

/** Options of a call as an executor hands them to its pool. */
export interface CallOptions extends RunOptions {
  readonly listener?: CallListener | undefined
}

/** Why a call ends whose caller has waited long enough for the end of the task. */
export const STOPPED = new DOMException('The caller takes no more items.', 'AbortError')

export function listenerOf({ listener, onProgress }: CallOptions): CallListener | undefined {
  return listener ?? (onProgress && progressListener(onProgress))
}

function progressListener(onProgress: (value: unknown) => void): CallListener {
  let control: CallControl
  return {
    isStream: false,
    window: 0,
    wantsProgress: true,
    items() {},
    progress: (value) => tellProgress(onProgress, value, control),
    refuse: (reason) => control.fail(reason),
    connect: (given) => (control = given),
  }
}

/** An error of the caller's own function fails the call: thrown here it would end in the engine's event loop. */
export function tellProgress(
  onProgress: (value: unknown) => void,
  value: unknown,
  control: CallControl,
): void {
  try {
    onProgress(value)
  } catch (thrown) {
    control.fail(thrown)
  }
}

/** Settled calls hold no arguments. */
export const NO_ARGS: readonly unknown[] = Object.freeze([])

// The two ways in which a caller ends a call early: its signal, and the timeout on its run time.

import { ThreadwiseError } from '../errors.js'
import type { RunOptions } from './executor.js'
import { onAbort } from './on-abort.js'
import { startTimer, type Timer } from './timer.js'

export interface Cancellation {
  /** Starts the clock of the timeout: the call runs now. */
  readonly start: () => void
  /** Ends the watch: the call is settled. */
  readonly release: () => void
}

/** Calls `cancel` at most once, with the reason. The caller checks `signal.aborted` beforehand. */
export function watchCancellation(
  task: string,
  { signal, timeout }: RunOptions,
  cancel: (reason: unknown) => void,
): Cancellation {
  let timer: Timer
  let isClockStarted = false
  let isReleased = false
  const stopListening = signal && onAbort(signal, () => end(signal.reason))

  function release(): void {
    isReleased = true
    clearTimeout(timer)
    stopListening?.()
  }

  function end(reason: unknown): void {
    release()
    cancel(reason)
  }

  return {
    release,
    start() {
      // A worker may say that a call starts after its caller has given it up.
      if (timeout === undefined || isClockStarted || isReleased) return
      isClockStarted = true
      timer = startTimer(timeout, () => end(new ThreadwiseError('TW_ERR_TIMEOUT', { task, timeout })))
    },
  }
}

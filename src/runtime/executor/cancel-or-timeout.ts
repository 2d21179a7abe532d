// The ways in which a caller ends a call early: its signal, and the timeouts on its time in the queue and its run time.

import { ThreadwiseError } from '../../errors/errors.js'
import type { RunOptions } from './executor.js'
import { onAbort } from './on-abort.js'
import { nextTurn, startTimer, stopTimer, type Timer } from '../../primitives/timers.js'

export interface Cancellation {
  /** The call runs now: stops the clock of queueTimeout and starts that of timeout. */
  readonly start: () => void
  /** It runs no more, and waits for its next try: the clock of timeout stops. */
  readonly pause: () => void
  /** Ends the watch: the call is settled. */
  readonly release: () => void
}

/**
 * Calls `cancel` at most once, with the reason. The caller checks `signal.aborted` beforehand. `hasStarted` is asked when
 * queueTimeout has passed: the message about the start may be under way.
 */
export function watchCancellation(
  task: string,
  { signal, timeout, queueTimeout }: RunOptions,
  cancel: (reason: unknown) => void,
  hasStarted: () => boolean = () => false,
): Cancellation {
  let timer: Timer
  if (queueTimeout !== undefined) timer = startTimer(queueTimeout, () => nextTurn(onQueueTimeout))
  let isClockStarted = false
  let isReleased = false
  const stopListening = signal && onAbort(signal, () => end(signal.reason))

  function release(): void {
    isReleased = true
    stopTimer(timer)
    stopListening?.()
  }

  function pause(): void {
    isClockStarted = false
    stopTimer(timer)
  }

  function end(reason: unknown): void {
    release()
    cancel(reason)
  }

  /** After a look at what has arrived: where this thread was busy for longer, the message about the start may lie there. */
  function onQueueTimeout(): void {
    if (isClockStarted || isReleased || hasStarted()) return
    end(new ThreadwiseError('TW_ERR_QUEUE_TIMEOUT', { task, timeout: queueTimeout }))
  }

  return {
    release,
    pause,
    start() {
      // A worker may say that a call starts after its caller has given it up.
      if (isClockStarted || isReleased) return
      isClockStarted = true
      stopTimer(timer)
      if (timeout === undefined) return
      timer = startTimer(timeout, () => end(new ThreadwiseError('TW_ERR_TIMEOUT', { task, timeout })))
    },
  }
}

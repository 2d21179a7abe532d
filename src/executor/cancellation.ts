// The two ways in which a caller ends a call early: its signal, and the timeout on its run time.

import { ThreadwiseError } from '../errors.js'
import type { RunOptions } from './executor.js'

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
  let timer: ReturnType<typeof setTimeout> | undefined
  const onAbort = () => end(signal?.reason)

  function release(): void {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }

  function end(reason: unknown): void {
    release()
    cancel(reason)
  }

  signal?.addEventListener('abort', onAbort, { once: true })
  return {
    release,
    start() {
      if (timeout === undefined || timer) return
      timer = setTimeout(() => end(new ThreadwiseError('TW_ERR_TIMEOUT', { task, timeout })), timeout)
    },
  }
}

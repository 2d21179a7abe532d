// Warns of calls that run longer than `warnAfter`: which task, where and for how long.

import type { Cancellation } from '../executor/cancel-or-timeout.js'
import { enterLater } from '../task/async-scope.js'
import { machineNow } from '../wire/machine-clock.js'
import { startTimer, stopTimer, type Timer } from '../../primitives/timers.js'

/** The watch over a call that also warns, once, when it has run for `ms`: in the contexts of its caller, who makes the watch. */
export function warnWhenSlow(watch: Cancellation, ms: number, warn: (ranMs: number) => void): Cancellation {
  let timer: Timer
  let isOver = false
  const inContexts = enterLater()
  return {
    start() {
      watch.start()
      if (isOver) return
      const since = machineNow()
      stopTimer(timer) // its worker has died, and another one starts it again
      timer = startTimer(ms, () => {
        isOver = true
        inContexts(() => warn(machineNow() - since))
      })
      timer?.unref()
    },
    pause: watch.pause,
    release() {
      isOver = true
      stopTimer(timer)
      watch.release()
    },
  }
}

/** Of a call in the caller's own thread. */
export function warnOfLocal(task: string, executor: string, ranMs: number): void {
  emitSlow(
    `Task ${JSON.stringify(task)} has run for ${Math.round(ranMs)} ms in the caller's thread, for ${executor}.`,
    'It waits on a promise.',
  )
}

export function emitSlow(message: string, detail: string): void {
  process.emitWarning(message, { type: 'ThreadwiseWarning', code: 'TW_WARN_SLOW_TASK', detail })
}

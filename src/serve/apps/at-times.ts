// Does something at the times of a cron: one timer, for the next of them.

import type { Cron } from './cron.js'

/** What a timer takes; a longer one would fire at once. */
const MAX_MS = 2 ** 31 - 1

/** Until the function that it gives is called. Does not keep the process alive. */
export function atTimes(cron: Cron, action: () => void, now: () => number = Date.now): () => void {
  let timer: NodeJS.Timeout
  const wait = (until: Date) => {
    timer = setTimeout(
      () => {
        // The way there may take several timers; and timers go by another clock than the time of day.
        if (now() < until.getTime()) return wait(until)
        wait(cron.next(new Date(now())))
        action()
      },
      Math.min(MAX_MS, until.getTime() - now()),
    ).unref()
  }
  wait(cron.next(new Date(now())))
  return () => clearTimeout(timer)
}

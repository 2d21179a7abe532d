// A timer for times of any length: what is longer than the runtime's timers can wait never comes.

/** Milliseconds: 25 days. A longer time overflows in setTimeout, which then fires after 1 ms. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

export type Timer = ReturnType<typeof setTimeout> | undefined

/** Undefined, and the callback is never called, for times such as Infinity. */
export function startTimer(ms: number, callback: () => void): Timer {
  return ms > LONGEST_TIMER_MS ? undefined : setTimeout(callback, ms)
}

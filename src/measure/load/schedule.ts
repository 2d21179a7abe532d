// When each request of an open loop is due: at a constant rate, or as a Poisson process.

export interface Schedule {
  /** When the next request is due, in milliseconds from the start; Infinity after the last. */
  readonly next: number
  advance(): void
}

export interface ScheduleOptions {
  /** Requests per second. */
  rate: number
  isPoisson: boolean
  /** No request is due at or after this time, in milliseconds from the start. */
  endMs: number
  /** There are no more than so many. Default: without limit. */
  requests?: number
  /** From 0 up to, but not including, 1. */
  random?: () => number
}

/**
 * Due times are computed, never stored: a backlog of any length costs nothing.
 *
 * @example
 * const schedule = createSchedule({ rate: 100, isPoisson: false, endMs: 1000 })
 * schedule.next // 0
 * schedule.advance()
 * schedule.next // 10
 */
export function createSchedule(options: ScheduleOptions): Schedule {
  const { rate, isPoisson, endMs, requests = Infinity, random = Math.random } = options
  const gap = () => (-Math.log(1 - random()) * 1000) / rate
  let index = 0
  let next = isPoisson ? gap() : 0
  const until = (time: number) => (time < endMs && index < requests ? time : Infinity)
  next = until(next)
  return {
    get next() {
      return next
    },
    advance() {
      index++
      // From the index, since adding up a rounded gap would drift.
      next = until(isPoisson ? next + gap() : (index * 1000) / rate)
    },
  }
}

/** At times that are given, the earliest first. */
export function scheduleOf(times: readonly number[], endMs: number): Schedule {
  let index = 0
  return {
    get next() {
      const time = times[index]
      return time === undefined || time >= endMs ? Infinity : time
    },
    advance() {
      index++
    },
  }
}

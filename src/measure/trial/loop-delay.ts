// How late the event loop runs: what an event that becomes due at a random moment has to wait.
//
// A tick is due every INTERVAL_MS. When the loop was blocked, all ticks that it missed count, each with its own delay: a
// stall of 100 ms is a hundred late ticks, not one. (monitorEventLoopDelay in its default mode records the spacing of timers,
// at least its resolution, and gives a long stall the weight of one sample: nodejs/node#34661, #56064. Its mode that
// samples each turn exists only from 24.19 and 26.5 on; an own probe is the same on every version.)
// A timer of Node has a resolution of 1 ms, so an idle loop shows delays of up to a millisecond.

import { Histogram } from '../../primitives/histogram.js'

const INTERVAL_MS = 1

export interface LoopDelayProbe {
  /** Forgets what was recorded. */
  reset(): void
  stop(): Histogram
}

export function startLoopDelayProbe(): LoopDelayProbe {
  let histogram = new Histogram()
  let due = performance.now() + INTERVAL_MS
  let timer: ReturnType<typeof setTimeout>

  function record(): void {
    const now = performance.now()
    for (; due <= now; due += INTERVAL_MS) histogram.record(now - due)
  }
  function tick(): void {
    record()
    timer = setTimeout(tick, Math.ceil(due - performance.now()))
  }
  timer = setTimeout(tick, INTERVAL_MS)

  return {
    reset() {
      histogram = new Histogram()
      due = performance.now() + INTERVAL_MS
    },
    stop() {
      clearTimeout(timer)
      record()
      return histogram
    },
  }
}

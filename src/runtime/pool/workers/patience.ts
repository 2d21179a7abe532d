// How long a worker may take for what it does now: to start, to tear down, to end.
//
// This thread may be busy meanwhile: so it reads what has come before it judges.

import { nextTurn, startTimer, stopTimer, type Timer } from '../../../primitives/timers.js'
import type { WorkerExit } from './worker.js'

/** Milliseconds that an idle worker gets to run its exit handlers; then it is terminated, unless it has sent something since. */
const CLOSE_GRACE_MS = 1000
/** Times that a worker is given its startTimeout before it has said its first word. */
const HELLO_TIMES = 30
/** Times that it gets them. */
const CLOSE_GRACES = 10

export class WorkerPatience {
  #timer: Timer
  /** Of one that is to close while it starts: beside the time for its start. */
  #grace: Timer
  /** It has sent something since that was last asked. */
  #hasSent = false
  /** Its module has both hooks, and setup() has begun. */
  #setsUp = false

  noteSetup(): void {
    this.#setsUp = true
  }

  noteMessage(): void {
    this.#hasSent = true
  }

  waitForStart(ms: number, isStarting: () => boolean, onLate: () => void): void {
    this.#wait(ms, isStarting, onLate)
  }

  /**
   * Of one whose code is still under way, as over a slow network: so long that only one that never says anything is given up. Pauses are counted, not
   * time, which goes on while a page is frozen; and none while a page is only prepared, where no worker can start.
   */
  waitForHello(ms: number, isStarting: () => boolean, onLate: (ms: number) => void): void {
    let left = HELLO_TIMES
    const judge = () => {
      if (!isPrerendering()) left--
      if (left > 0) this.#wait(ms, isStarting, judge)
      else onLate(ms * HELLO_TIMES)
    }
    this.#wait(ms, isStarting, judge)
  }

  /** What it prints at its end may take a while to get here. */
  waitForEnd(isEnding: () => boolean, onLate: () => void, graces = CLOSE_GRACES): void {
    this.#hasSent = false
    const judge = () => {
      if (this.#hasSent && graces > 1) this.waitForEnd(isEnding, onLate, graces - 1)
      else onLate()
    }
    this.#wait(CLOSE_GRACE_MS, isEnding, judge)
  }

  /**
   * Of one that is to close as soon as it has started: what its setup() opens is for its teardown() to close, and it has its startTimeout
   * for that. Without these it is there soon, or its module hangs.
   */
  waitForSetup(isStarting: () => boolean, onLate: () => void): void {
    stopTimer(this.#grace)
    this.#grace = timed(CLOSE_GRACE_MS, () => isStarting() && !this.#setsUp && onLate())
  }

  waitForTeardown(ms: number, isEnding: () => boolean, onLate: (exit: WorkerExit) => void): void {
    const exit = { how: `because its teardown() did not end within ${ms} ms`, isOutside: true }
    this.#wait(ms, isEnding, () => onLate(exit))
  }

  stop(): void {
    stopTimer(this.#timer)
    stopTimer(this.#grace)
  }

  /** In place of what was waited for before. */
  #wait(ms: number, isStill: () => boolean, onLate: () => void): void {
    this.stop()
    this.#timer = timed(ms, () => isStill() && onLate())
  }
}

function isPrerendering(): boolean {
  return (globalThis as { document?: { prerendering?: boolean } }).document?.prerendering === true
}

function timed(ms: number, judge: () => void): Timer {
  const timer = startTimer(ms, () => nextTurn(judge))
  timer?.unref()
  return timer
}

// The timers and clocks of the runtime, and when something is done that need not be done at once.
//
// Tests replace those of their program by fake ones (jest.useFakeTimers(), vi.useFakeTimers(), sinon, mock.timers): a call that is made
// meanwhile would never be sent, find a worker or time out. So they are taken when the package is loaded; and from Node's modules, since the
// global ones may be fake by then: Jest has `fakeTimers: { enableGlobally: true }`.

import type { Performance } from 'node:perf_hooks'
import { otherRuntime } from './other-runtime.js'

const node = process.getBuiltinModule('node:timers')
const { nextTick } = process.getBuiltinModule('node:process') as {
  nextTick(this: void, callback: () => void): void
}

/** An object, so that our own tests can put fake ones here. */
export const timers = { setTimeout: node.setTimeout, clearTimeout: node.clearTimeout }

/** Milliseconds: 25 days. A longer time overflows in setTimeout, which then fires after 1 ms. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

export type Timer = ReturnType<typeof setTimeout> | undefined

/** Undefined, and the callback is never called, for times such as Infinity: what is longer than timers can wait never comes. */
export function startTimer(ms: number, callback: () => void): Timer {
  return ms > LONGEST_TIMER_MS ? undefined : timers.setTimeout(callback, ms)
}

export function stopTimer(timer: Timer): void {
  timers.clearTimeout(timer)
}

export const { setInterval: repeat, clearInterval: stopRepeating } = node

const done = Promise.resolve()
const byPromise = (callback: () => void) => void done.then(callback)

/** At the end of this job. No module has it; fake ones have a clock. */
export const soon = 'clock' in queueMicrotask ? byPromise : queueMicrotask
/** In the next turn of the event loop. */
export const nextTurn = node.setImmediate
/** Once the microtasks of this job are done. */
export const afterMicrotasks = (callback: () => void): void => nextTick(callback)

const takePerformance = () => process.getBuiltinModule('node:perf_hooks').performance
/** On Bun it is the global one, so it is taken at the start too. */
let performance: Performance | undefined = otherRuntime() === null ? undefined : takePerformance()

/** Milliseconds since this thread began; for what runs for microseconds. On Node its first use loads ten modules, see machine-clock.ts. */
export function preciseNow(): number {
  performance ??= takePerformance()
  return performance.now()
}

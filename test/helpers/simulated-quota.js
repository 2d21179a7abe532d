// A cgroup under a CPU quota, as Linux keeps it: each period of 100 ms brings the quota, what a CPU has used beyond it is seen at the
// next tick and taken back from the next period, and what is left over expires.

import { createRandom } from '../../build/measure/stats/random.js'

const STEP_MS = 0.5

/** No two calls are alike: by this share they are longer or shorter. */
const SPREAD = 0.1

/**
 * Calls of `callMs` of CPU time in so many threads, on a clock that moves only while they run.
 *
 * @param areTogether calls of one thread that begin together end together, as synchronous ones do in one turn of the event loop
 */
export function simulatedQuota({ cpus, threads = 1, callMs, areTogether = false, phase = 0, tickMs = 4 }) {
  const quotaMs = 100 * cpus
  const state = { now: 0, left: quotaMs, usedMs: 0 }
  const random = createRandom(1)
  const workers = Array.from({ length: threads }, () => ({ batch: [], leftMs: 0, isFrozen: false }))
  const queue = []
  let isRunning = false

  const crosses = (everyMs, offset) =>
    Math.floor((state.now - offset) / everyMs) !== Math.floor((state.now - STEP_MS - offset) / everyMs)
  const advance = () => {
    state.now += STEP_MS
    if (crosses(100, phase)) {
      state.left = Math.min(quotaMs, state.left + quotaMs)
      for (const worker of workers) worker.isFrozen = false
    }
    for (const worker of workers) work(worker)
    if (crosses(tickMs, 0) && state.left <= 0) for (const worker of workers) worker.isFrozen = true
  }
  function work(worker) {
    if (worker.batch.length === 0 && queue.length > 0) {
      worker.batch = areTogether ? queue.splice(0) : [queue.shift()]
      worker.leftMs += worker.batch.length * callMs * (1 + SPREAD * (2 * random() - 1))
    }
    if (worker.batch.length === 0 || worker.isFrozen) return
    state.left -= STEP_MS
    state.usedMs += STEP_MS
    worker.leftMs -= STEP_MS
    if (worker.leftMs > 0) return
    for (const resolve of worker.batch.splice(0)) resolve()
  }
  const run = () => {
    if (queue.length === 0 && workers.every(({ batch }) => batch.length === 0)) return (isRunning = false)
    advance()
    setImmediate(run) // whoever waits for a call makes the next one first
  }
  const call = () =>
    new Promise((resolve) => {
      queue.push(resolve)
      if (!isRunning) setImmediate(run)
      isRunning = true
    })
  return {
    load: { ownThread: false, call },
    now: () => state.now,
    usedMs: () => state.usedMs,
    rest(ms) {
      for (const until = state.now + ms; state.now < until;) advance()
    },
  }
}

// One clock for all threads and processes of this machine, so that a worker can say when a call has started.

/**
 * Milliseconds between the zero of performance.now(), which is another one in each thread, and that of the monotonic clock
 * of the machine. Where there is none to be had, the time of day does.
 */
const offset =
  typeof process === 'object' && typeof process.hrtime === 'function'
    ? monotonicOffset()
    : performance.timeOrigin

/** Milliseconds. */
export function machineNow(): number {
  return performance.now() + offset
}

/** The same in whole milliseconds, mod 2^32: for a word of shared memory. */
export function machineMs(): number {
  return machineNow() | 0
}

function monotonicOffset(): number {
  const before = performance.now()
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6 - (before + performance.now()) / 2
}

// When something is done that need not be done at once: at the end of this job, or in the next turn of the event loop; and once,
// however often it was wanted meanwhile.
//
// Kept as they were when the package was loaded: tests replace them (mock timers, fake clocks), and a pool that was made or used
// meanwhile would never send its calls.

export const soon = queueMicrotask
export const nextTurn = setImmediate

/** A function that plans `work` by `defer`, unless it is planned already. */
export function planOnce(defer: (callback: () => void) => void, work: () => void): () => void {
  let isPlanned = false
  const run = () => {
    isPlanned = false
    work()
  }
  return () => {
    if (isPlanned) return
    isPlanned = true
    defer(run)
  }
}

// When something is done that need not be done at once: at the end of this job, or in the next turn of the event loop.
//
// Kept as they were when the package was loaded: tests replace them (mock timers, fake clocks), and a pool that was made or used
// meanwhile would never send its calls.

export const soon = queueMicrotask
export const nextTurn = setImmediate

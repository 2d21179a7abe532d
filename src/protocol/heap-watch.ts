// Tells once when this worker's memory has grown beyond a limit.
//
// It looks a moment after a call, never while the worker is idle. Garbage that was not collected yet counts too.

const LOOK_AFTER_MS = 100

/** `maxBytes`: of the heap and of the buffers outside of it. To be called with each call. */
export function createHeapWatch(maxBytes: number, onWorn: () => void): () => void {
  let isPlanned = false
  const look = () => {
    const { heapUsed, external } = process.memoryUsage()
    if (heapUsed + external > maxBytes) onWorn()
    else isPlanned = false
  }
  return () => {
    if (isPlanned) return
    isPlanned = true
    setTimeout(look, LOOK_AFTER_MS).unref()
  }
}

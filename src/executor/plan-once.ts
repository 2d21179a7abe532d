// Work that is wanted many times and done once, a little later.

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

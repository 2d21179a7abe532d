// What is done once, however often it was wanted meanwhile.

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

// Measurements in a process that the machine may hold up: those that it disturbed are made again.

/** Milliseconds. The bounds of such a test allow for that much. */
export const MAX_GAP_MS = 250
const MAX_RUNS = 5

/** What `run` resolves with: of the first run in which this process was never held up for long, or of the last one. */
export async function undisturbed(run) {
  for (let runs = 1; ; runs++) {
    const longestGap = watchGaps()
    const result = await run()
    if (longestGap() <= MAX_GAP_MS || runs === MAX_RUNS) return result
  }
}

/** The returned function ends the watch and gives the longest time between two of its looks, in milliseconds. */
function watchGaps() {
  let last = performance.now()
  let longest = 0
  const look = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(look, 20)
  return () => {
    clearInterval(timer)
    look()
    return longest
  }
}

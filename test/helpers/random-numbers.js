// Numbers at random, the same ones for the same seed.

/** mulberry32: github.com/bryc/code/blob/master/jshash/PRNGs.md */
export function randomNumbers(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

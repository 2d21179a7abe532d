// What the jobs of bench/cluster.mjs do.
import { appendFileSync } from 'node:fs'

/** Holds the thread for so long. */
export function burn(ms) {
  for (const end = performance.now() + ms; performance.now() < end;);
  return ms
}

export const nothing = () => null

/** Notes that it has started, in a file that a killed process leaves whole, and works for a while. */
export function noted(file, id, ms, result = ms) {
  appendFileSync(file, `${id}\n`)
  burn(ms)
  return result
}

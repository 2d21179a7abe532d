// When a process has started: with its id, that names it for ever.

import { readFileSync } from 'node:fs'

/** In clock ticks since the machine started; 0 where the system does not say. */
export function startOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The 22nd field, the 20th after the name, which may hold anything. proc(5).
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19])
  } catch {
    return 0
  }
}

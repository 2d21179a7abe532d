// When a process has started: with its id, that names it for ever.

import { readFileSync } from 'node:fs'
import { isAlive } from '../../primitives/is-alive.js'

/** In clock ticks since the machine started; 0 where the system does not say. */
export function startOf(pid: number): number {
  // The 22nd field of proc(5), the 20th after the name.
  return Number(fieldsOf(pid)[19] ?? 0)
}

/** Whether the process with this start still runs. One that has ended, and was not collected yet by its parent, does not. */
export function isRunning(pid: number, start: number): boolean {
  if (!isAlive(pid)) return false
  const fields = fieldsOf(pid)
  return fields.length === 0 ? start === 0 : !['Z', 'X'].includes(fields[0]!) && Number(fields[19]) === start
}

/** By a signal, or by a debugger. */
export function isSuspended(pid: number): boolean {
  return ['T', 't'].includes(fieldsOf(pid)[0] ?? '')
}

/** What follows the name, which may hold anything; empty where the system does not say. */
function fieldsOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

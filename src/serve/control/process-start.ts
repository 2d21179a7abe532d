// When a process has started: with its id, that names it for ever.

import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
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
  return ['T', 't'].includes(fieldsOf(pid)[0] ?? '') || isStopPending(pid)
}

/** A process that gets no CPU time has not taken the signal yet; another one to go on would undo it. */
function isStopPending(pid: number): boolean {
  const pending = /^ShdPnd:\s*([0-9a-f]+)$/m.exec(read(`/proc/${pid}/status`))?.[1]
  return (
    pending !== undefined && ((BigInt(`0x${pending}`) >> BigInt(constants.signals.SIGSTOP - 1)) & 1n) === 1n
  )
}

/** What follows the name, which may hold anything; empty where the system does not say. */
function fieldsOf(pid: number): string[] {
  const stat = read(`/proc/${pid}/stat`)
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

// CPU time of the processes of a server, as the kernel counts it.

import { readFileSync } from 'node:fs'

/** sysconf(_SC_CLK_TCK) is 100 on all Linux systems that Node runs on. */
const TICKS_PER_SECOND = 100

/** Seconds of all of them, with their threads; null where /proc does not say, or one of them has ended. */
export function cpuSecondsOf(pids: readonly number[]): number | null {
  const each = pids.map(secondsOf)
  return each.includes(null) ? null : each.reduce<number>((sum, seconds) => sum + seconds!, 0)
}

/** utime and stime: fields 14 and 15 of stat, counted after the name, which may hold spaces (proc(5)). */
function secondsOf(pid: number): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
  } catch {
    return null
  }
}

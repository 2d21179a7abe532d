// CPU time of the processes of a server, as the kernel counts it.

import { readdirSync, readFileSync } from 'node:fs'

/** sysconf(_SC_CLK_TCK) is 100 on all Linux systems that Node runs on. */
const TICKS_PER_SECOND = 100

/**
 * Seconds of all processes of a group, with their threads and with the children that they have waited for: so it does not fall when
 * one of them ends. Null where /proc does not say, or nothing is left of the group.
 */
export function cpuSecondsOfGroup(group: number): number | null {
  const members = processes()
    .flatMap((pid) => timesOf(pid) ?? [])
    .filter((times) => times.group === group)
  if (members.length === 0) return null
  // Whole ticks are added: sums of seconds depend on how many processes they come from (0.57 or 0.5700000000000001).
  return members.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_SECOND
}

function processes(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return [] // no Linux
  }
}

/** pgrp is field 5 of stat; utime, stime, cutime and cstime are 14 to 17. The name before them may hold spaces (proc(5)). */
function timesOf(pid: string): { group: number; ticks: number } | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ').map(Number)
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0)
    return { group: fields[2]!, ticks }
  } catch {
    return null // it has ended meanwhile
  }
}

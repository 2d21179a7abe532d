// Memory and CPU time of a process group: of a program, and of what it has started. Linux; elsewhere nothing is known.

import { readdirSync, readFileSync } from 'node:fs'

export interface GroupUsage {
  /** Bytes. */
  readonly rss: number
  readonly cpuMs: number
}

/** Clock ticks per second in /proc: 100 on all architectures (USER_HZ). */
const MS_PER_TICK = 1000 / 100

/** Null where it cannot be known, and when none of the group is left. */
export function usageOfGroup(leader: number): GroupUsage | null {
  if (process.platform !== 'linux') return null
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const members = all.flatMap((pid) => usageWithin(pid, leader) ?? [])
  if (members.length === 0) return null
  const sum = (key: keyof GroupUsage) => members.reduce((total, usage) => total + usage[key], 0)
  return { rss: sum('rss'), cpuMs: sum('cpuMs') }
}

/** Null for one of another group, and for one that has ended meanwhile. */
function usageWithin(pid: string, leader: number): GroupUsage | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // After the name, which may hold anything: state, parent, group; the 12th and 13th are user and system time. proc(5).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (Number(fields[2]) !== leader) return null
    const [, kilobytes = 0] = /^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
    return { rss: Number(kilobytes) * 1024, cpuMs: (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK }
  } catch {
    return null
  }
}

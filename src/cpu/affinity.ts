// Reads which CPUs this process may run on: set by taskset, a cpuset cgroup, docker --cpuset-cpus or a job scheduler.

import type { FileTree } from './file-tree.js'

export const AFFINITY_FILE = '/proc/self/status'

/** Numbers of the CPUs that the process may run on, ascending; null where the kernel does not say. */
export function allowedCpus(tree: FileTree): number[] | null {
  const status = tree.read(AFFINITY_FILE)
  if (status === null) return null
  const text = /^Cpus_allowed_list:\s*(.*)$/m.exec(status)?.[1] ?? ''
  const allowed = parseCpuList(text)
  if (!allowed) {
    tree.problems.push(
      `${AFFINITY_FILE} has no usable Cpus_allowed_list (${JSON.stringify(text)}); it was ignored.`,
    )
    return null
  }
  return usable(allowed, onlineCpus(tree))
}

/**
 * An unrestricted process is allowed every *possible* CPU: 0-127 on a virtual machine with 4, as the rest could be plugged in. Only those online
 * count. LXC numbers the CPUs of a container anew in `online` (lxcfs): as many as are allowed, from 0 on, beside the host's numbers of those that
 * are. Lists of different numbers say nothing of each other.
 */
function usable(allowed: number[], online: Set<number> | null): number[] {
  if (!online) return allowed
  const both = allowed.filter((cpu) => online.has(cpu))
  const isRenumbered = online.size === allowed.length && both.length < online.size && isFromZero(online)
  return isRenumbered || both.length === 0 ? allowed : both
}

function isFromZero(cpus: Set<number>): boolean {
  return [...cpus].every((cpu) => cpu < cpus.size)
}

export function onlineCpus(tree: FileTree): Set<number> | null {
  const cpus = parseCpuList(tree.read('/sys/devices/system/cpu/online')?.trim() ?? '')
  return cpus && new Set(cpus)
}

/** "0-2,5" -> [0, 1, 2, 5]; null when it is not such a list. */
function parseCpuList(text: string): number[] | null {
  const cpus: number[] = []
  for (const part of text.split(',')) {
    const match = /^(\d+)(?:-(\d+))?$/.exec(part)
    if (!match) return null
    const first = Number(match[1])
    const last = Number(match[2] ?? first)
    if (last < first || last - first > 65_535) return null
    for (let cpu = first; cpu <= last; cpu++) cpus.push(cpu)
  }
  return cpus
}

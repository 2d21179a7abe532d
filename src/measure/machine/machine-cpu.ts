// CPU time that the whole machine has used, as finely as it can be told: what others used within a window of 50 ms.

import { existsSync, readFileSync } from 'node:fs'

/** Milliseconds, of which only differences mean something; null where the platform does not say. */
export type MachineCpu = () => number | null

/** CPU time that this process has used, in milliseconds. */
export function ownCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/**
 * The counters of the root cgroup are exact to the nanosecond (v1) or microsecond (v2). In a container the mounted root is the
 * container's own, which does not see others: only the real root of v1 has release_agent, and only that of v2 has no cgroup.type.
 * /proc/stat counts ticks of 10 ms, for each CPU on its own.
 */
export function machineCpu(): MachineCpu {
  const v1 = '/sys/fs/cgroup/cpuacct'
  const exact = existsSync(`${v1}/release_agent`) ? numberIn(`${v1}/cpuacct.usage`, /^(\d+)/, 1e6) : undefined
  const v2 = '/sys/fs/cgroup'
  const isRoot = existsSync(`${v2}/cgroup.controllers`) && !existsSync(`${v2}/cgroup.type`)
  const counter = exact ?? (isRoot ? numberIn(`${v2}/cpu.stat`, /^usage_usec (\d+)/m, 1e3) : undefined)
  return counter ?? busyTicks
}

function numberIn(path: string, pattern: RegExp, perMs: number): MachineCpu | undefined {
  const look: MachineCpu = () => {
    const found = pattern.exec(read(path) ?? '')
    return found ? Number(found[1]) / perMs : null
  }
  return look() === null ? undefined : look
}

/** user, nice, system, irq and softirq of the first line, in ticks (proc(5)). */
function busyTicks(): number | null {
  const text = read('/proc/stat')
  if (text === null) return null
  const [user, nice, system, , , irq, softirq] = text.split('\n')[0]!.trim().split(/\s+/).slice(1).map(Number)
  return 10 * (user! + nice! + system! + irq! + softirq!)
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

// CPU time and memory of this process and its children, as the kernel counts them. Null where the platform does not say.
//
// Memory of a thread does not exist, so it is the difference that workers make to what the process holds for itself: the
// private dirty pages of smaps_rollup (Linux 4.14). Resident memory would count shared pages once for every process.

import { readdirSync, readFileSync } from 'node:fs'
import { freemem } from 'node:os'
import { residentBytes } from '../../primitives/own-memory.js'

export interface CpuTimes {
  /** Seconds of this process, with all its threads, and of its children. */
  readonly total: number | null
  /** Seconds of this process's main thread. */
  readonly main: number | null
}

export function cpuTimes(): CpuTimes {
  const own = process.cpuUsage()
  const children = childPids()
  const ofChildren = children?.reduce((sum, pid) => sum + processCpuSeconds(pid), 0)
  return {
    total: ofChildren === undefined ? null : (own.user + own.system) / 1e6 + ofChildren,
    main: mainThreadCpuSeconds(),
  }
}

/** Private memory of this process and its children, in bytes. */
export function privateBytes(): number | null {
  const children = childPids()
  if (children === undefined) return null
  const parts = ['self', ...children].map((pid) => rollup(pid)?.get('Private_Dirty') ?? null)
  return parts.some((part) => part === null) ? null : parts.reduce<number>((sum, part) => sum + part!, 0)
}

/** Resident and virtual memory of this process and its children, in bytes. */
export function mappedBytes(): { rss: number; virtual: number | null } {
  const children = childPids() ?? []
  let rss = residentBytes() ?? 0
  let virtual: number | null = 0
  for (const pid of ['self', ...children]) {
    const status = readText(`/proc/${pid}/status`)
    const size = /VmSize:\s+(\d+) kB/.exec(status ?? '')
    virtual = size && virtual !== null ? virtual + Number(size[1]) * 1024 : null
    if (pid !== 'self') rss += Number(/VmRSS:\s+(\d+) kB/.exec(status ?? '')?.[1] ?? 0) * 1024
  }
  return { rss, virtual }
}

/** Bytes that new processes may take, within the memory limit of a container too; and those that this process holds. */
export function availableMemory(): { free: number; own: number } {
  // Node 20.13 and later
  const available = (process as { availableMemory?: () => number }).availableMemory
  return { free: available?.() ?? freemem(), own: residentBytes() ?? 0 }
}

/** Undefined where /proc does not list children. Each thread lists those that it started. */
function childPids(): string[] | undefined {
  try {
    return readdirSync('/proc/self/task').flatMap((tid) =>
      (readText(`/proc/self/task/${tid}/children`) ?? '').split(' ').filter((pid) => pid.trim() !== ''),
    )
  } catch {
    return undefined
  }
}

function mainThreadCpuSeconds(): number | null {
  return schedstatSeconds(`/proc/self/task/${process.pid}/schedstat`)
}

function processCpuSeconds(pid: string): number {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce(
      (sum, tid) => sum + (schedstatSeconds(`/proc/${pid}/task/${tid}/schedstat`) ?? 0),
      0,
    )
  } catch {
    return 0 // it has ended meanwhile
  }
}

/** Seconds for which the main thread was ready to run and found no CPU: work of others, not of the task. 0 where unknown. */
export function runQueueSeconds(): number {
  const text = readText(`/proc/self/task/${process.pid}/schedstat`)
  return text === null ? 0 : Number(text.split(' ')[1]) / 1e9
}

/** The first field is the time on a CPU in nanoseconds; the ticks of `stat` are 10 ms, too coarse for a trial. */
function schedstatSeconds(path: string): number | null {
  const text = readText(path)
  return text === null ? null : Number(text.split(' ')[0]) / 1e9
}

function rollup(pid: string): Map<string, number> | null {
  const text = readText(`/proc/${pid}/smaps_rollup`)
  if (text === null) return null
  const fields = [...text.matchAll(/^(\w+):\s+(\d+) kB$/gm)]
  return new Map(fields.map(([, name, kilobytes]) => [name!, Number(kilobytes) * 1024]))
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

// CPU time of the processes of a server, as the kernel counts it.

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

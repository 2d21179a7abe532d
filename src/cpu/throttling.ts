// Reads how often and how long the kernel froze this process because its CPU quota was spent.

import { quotaLevels, tightestQuota, type LimitedLevel } from './cgroup-quota.js'
import { openFileTree, type FileTree } from './file-tree.js'

/** Counters since the cgroup was created; take the difference of two readings. */
export interface Throttling {
  /** Quota periods (usually 100 ms) in which the cgroup wanted to run. */
  periods: number
  /** Those in which it spent its quota and was frozen. */
  throttledPeriods: number
  /** Time frozen, in ms, summed over CPUs: it can grow faster than the clock. */
  throttledMs: number
}

/**
 * Throttling of the tightest limited cgroup of this process, shared with whatever else runs in it; null where there is
 * no quota.
 *
 * @param root folder that stands for "/", for a recorded tree.
 * @example
 * const before = readThrottling()
 * await work()
 * const after = readThrottling()
 * const frozenMs = before && after ? after.throttledMs - before.throttledMs : 0
 */
export function readThrottling(root = '/'): Throttling | null {
  if (root === '/' && process.platform !== 'linux') return null
  return throttlingOf(openFileTree(root))
}

/** The same of whatever process a tree shows as this one. */
export function throttlingOf(tree: FileTree): Throttling | null {
  const level = tightestQuota(quotaLevels(tree))
  return level && parseStat(tree, level)
}

function parseStat(tree: FileTree, { version, folder }: LimitedLevel): Throttling | null {
  const text = tree.read(`${folder}/cpu.stat`)
  if (text === null) return null
  const counters = new Map(text.split('\n').map((line) => line.split(' ') as [string, string]))
  const value = (name: string) => Number(counters.get(name) ?? NaN)
  const throttledMs = version === 'cgroup-v2' ? value('throttled_usec') / 1e3 : value('throttled_time') / 1e6
  const throttling = { periods: value('nr_periods'), throttledPeriods: value('nr_throttled'), throttledMs }
  return Object.values(throttling).every(Number.isFinite) ? throttling : null
}

// Reads the CPU quota of the process's cgroup and of every ancestor; the tightest one is what the kernel enforces.
//
//   /sys/fs/cgroup                        (no file: the root has no quota)
//   └─ app.slice          cpu.max  "400000 100000"   4 CPUs
//      └─ app.service     cpu.max  "60000 100000"    0.6 CPU   <- tightest
//
// v2: cpu.max = "QUOTA PERIOD" or "max PERIOD".  v1: cpu.cfs_quota_us (-1: none) and cpu.cfs_period_us.  All in microseconds.
// Node's own answer is no substitute: libuv takes the outermost v2 limit and never honours a v1 quota
// (nodejs/node#59200, libuv#4740).

import type { FileTree } from './file-tree.js'
import { ownCgroups, type CgroupVersion } from './own-cgroups.js'

/** The quota of one cgroup. */
export interface QuotaLevel {
  version: CgroupVersion
  folder: string
  /** The file that holds the quota. */
  file: string
  /** Quota / period, in CPUs; null: this level sets no limit. */
  cpus: number | null
}

export type LimitedLevel = QuotaLevel & { cpus: number }

/** Every level at which a quota could be set, the process's own cgroup first. */
export function quotaLevels(tree: FileTree): QuotaLevel[] {
  return ownCgroups(tree).flatMap(({ version, folders }) => {
    const readLevel = version === 'cgroup-v2' ? readV2 : readV1
    return folders.flatMap((folder) => {
      const level = readLevel(tree, folder)
      return level ? [{ version, folder, ...level }] : []
    })
  })
}

/** The level with the smallest quota (of equals the innermost); null where nothing is limited. */
export function tightestQuota(levels: readonly QuotaLevel[]): LimitedLevel | null {
  const limited = levels.filter((level): level is LimitedLevel => level.cpus !== null)
  return limited.reduce<LimitedLevel | null>(
    (best, level) => (best && best.cpus <= level.cpus ? best : level),
    null,
  )
}

type Reading = { file: string; cpus: number | null }

function readV2(tree: FileTree, folder: string): Reading | null {
  const file = `${folder}/cpu.max`
  const text = tree.read(file)?.trim()
  if (text === undefined) return null
  const [quota = '', period = ''] = text.split(/\s+/)
  if (quota === 'max') return { file, cpus: null }
  const cpus = divide(quota, period)
  if (cpus === null) return ignore(tree, file, text)
  return { file, cpus }
}

function readV1(tree: FileTree, folder: string): Reading | null {
  const file = `${folder}/cpu.cfs_quota_us`
  const quota = tree.read(file)?.trim()
  if (quota === undefined) return null
  if (quota === '-1') return { file, cpus: null }
  const periodFile = `${folder}/cpu.cfs_period_us`
  const period = tree.read(periodFile)?.trim() ?? ''
  const cpus = divide(quota, period)
  if (cpus !== null) return { file, cpus }
  return divide(quota, '1') === null ? ignore(tree, file, quota) : ignore(tree, periodFile, period)
}

function divide(quota: string, period: string): number | null {
  if (!/^\d+$/.test(quota) || !/^\d+$/.test(period)) return null
  const cpus = Number(quota) / Number(period)
  return cpus > 0 && Number.isFinite(cpus) ? cpus : null
}

function ignore(tree: FileTree, file: string, text: string): null {
  tree.problems.push(`${file} holds ${JSON.stringify(text)}, which is no CPU quota; it was ignored.`)
  return null
}

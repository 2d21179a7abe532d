// What the two cgroup methods share: a limit that is a cgroup folder with a quota in it.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ThreadwiseError } from '../../errors/errors.js'
import type { CgroupFolder } from './cgroup-folder.js'
import type { FileTree } from '../file-tree.js'
import {
  asGiven,
  systemErrorText,
  periodUs,
  quotaUs,
  type OpenedLimit,
  type LimitRefusal,
} from './limit-method.js'
import { ownCgroups, type CgroupVersion } from '../own-cgroups.js'

/** The process's own cgroup, as a path of this machine: limits go below it, so that every outer limit keeps holding. */
export function ownFolder(tree: FileTree, version: CgroupVersion): string | LimitRefusal {
  const own = ownCgroups(tree).find((each) => each.version === version)
  if (!own)
    return {
      refused: version === 'cgroup-v2' ? 'no cgroup v2 is mounted' : 'no cgroup v1 cpu controller is mounted',
    }
  const folder = own.folders[0] as string
  if (!own.isLocated || !tree.has(folder))
    return { refused: `the cgroup of this process is not visible at ${folder}` }
  return tree.real(folder)
}

export function cgroupLimit(cpus: number, method: CgroupVersion, folder: CgroupFolder): OpenedLimit {
  const ms = (us: number) => us / 1000
  const version = method.replace('-', ' ')
  return {
    cpus,
    method,
    exact: true,
    note: `A ${version} quota of ${ms(quotaUs(cpus))} ms CPU time per ${ms(periodUs)} ms, as "docker run --cpus=${cpus}" sets it.`,
    wrap: asGiven,
    adopt: (pid) => adopt(cpus, folder, pid),
    lift: () => setQuota(folder, method, null),
    restore: () => setQuota(folder, method, quotaUs(cpus)),
    remove: () => folder.remove(),
    removeNow: () => folder.removeNow(),
  }
}

/** Writes control files of a cgroup, in the order given. */
export function writeControls(folder: string, controls: Record<string, string>): void {
  for (const [file, text] of Object.entries(controls)) writeFileSync(join(folder, file), text)
}

/** @param us null: none */
function setQuota(folder: CgroupFolder, method: CgroupVersion, us: number | null): void {
  const controls: Record<string, string> =
    method === 'cgroup-v2'
      ? { 'cpu.max': `${us ?? 'max'} ${periodUs}` }
      : { 'cpu.cfs_quota_us': String(us ?? -1) }
  try {
    writeControls(folder.path, controls)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error // removed meanwhile: nothing runs in it
  }
}

function adopt(cpus: number, folder: CgroupFolder, pid: number): void {
  try {
    writeControls(folder.path, { 'cgroup.procs': String(pid) })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return // it has ended: its exit code tells more than we could
    throw new ThreadwiseError(
      'TW_ERR_LIMIT_UNAVAILABLE',
      { cpus, reason: systemErrorText(error) },
      { cause: error },
    )
  }
}

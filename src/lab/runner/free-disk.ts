// Whether the disk has room for what an experiment writes, before it writes: a full disk is the trouble of every program on it.

import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { checkOption } from '../../errors/check-options.js'

export interface DiskNeed {
  /** The option that says how many. */
  readonly option: string
  readonly count: number
  /** Of each, before it is rounded up to blocks of the disk. */
  readonly bytes: number
  /** Files of each; 0: they share some. */
  readonly files: number
}

/** A tenth stays free for all others. */
const SHARE = 0.9

/**
 * @param folder that of the run, in the one that the user knows
 * @throws TW_ERR_INVALID_OPTION with the number that there is room for
 */
export function checkDisk(folder: string, { option, count, bytes, files }: DiskNeed): void {
  const { bsize, bavail, ffree } = statfsSync(folder)
  const each = files === 0 ? bytes : Math.ceil(bytes / bsize) * bsize
  const byBytes = Math.floor((SHARE * bavail * bsize) / each)
  // Some file systems count no files.
  const byFiles = files === 0 || ffree === 0 ? Infinity : Math.floor((SHARE * ffree) / files)
  const most = Math.min(byBytes, byFiles)
  const free = `${((bavail * bsize) / 1e9).toFixed(1)} GB`
  checkOption(count <= most, option, `at most ${most}, as ${dirname(folder)} has ${free} free`, count)
}

// Where the log files of one user are: nobody else may read them, since servers write what is nobody else's business.

import { statSync, type Stats } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { ThreadwiseError } from '../../errors/errors.js'
import { makeFolder } from '../../user/make-folder.js'

/**
 * The folder, made if it is not there.
 *
 * @throws TW_ERR_LOG_FOLDER when it cannot be made, or others may read it
 */
export function logFolder(env: NodeJS.ProcessEnv = process.env): string {
  const folder = folderPath(env)
  let stats: Stats
  try {
    makeFolder(folder, 0o700)
    stats = statSync(folder) // a link to a larger disk is fine
  } catch (cause) {
    throw new ThreadwiseError('TW_ERR_LOG_FOLDER', { folder, reason: (cause as Error).message }, { cause })
  }
  const reason = whyUnsafe(stats)
  if (reason) throw new ThreadwiseError('TW_ERR_LOG_FOLDER', { folder, reason })
  return folder
}

/** The file that a service writes now; older ones have a number more: `web.log.1`. */
export function logPath(folder: string, name: string): string {
  return join(folder, `${name}.log`)
}

function folderPath(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_STATE_HOME || join(homedir(), '.local/state'), 'threadwise')
}

function whyUnsafe(stats: Stats): string | null {
  if (!stats.isDirectory()) return 'it is not a folder'
  if (process.getuid && stats.uid !== process.getuid()) return 'it belongs to another user'
  if (process.getuid && (stats.mode & 0o077) !== 0) return 'others may enter it (its mode must be 0700)'
  return null
}

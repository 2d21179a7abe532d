// The folder with what is kept of services: logs, what was started, and which processes run. Nobody else may read it, since servers write what
// is nobody else's business.

import { statSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { ThreadwiseError } from '../errors/errors.js'
import { homeFolder } from './home-folder.js'
import { makeFolder } from './make-folder.js'

/**
 * The folder, made if it is not there.
 *
 * @throws TW_ERR_LOG_FOLDER when it cannot be made, or others may read it
 */
export function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  let folder = '$XDG_STATE_HOME/threadwise'
  let stats: Stats
  try {
    folder = folderPath(env)
    makeFolder(folder, 0o700)
    stats = statSync(folder) // a link to a larger disk is fine
  } catch (cause) {
    throw new ThreadwiseError('TW_ERR_LOG_FOLDER', { folder, reason: (cause as Error).message }, { cause })
  }
  const reason = whyUnsafe(stats)
  if (reason) throw new ThreadwiseError('TW_ERR_LOG_FOLDER', { folder, reason })
  return folder
}

function folderPath(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_STATE_HOME || join(homeFolder(), '.local/state'), 'threadwise')
}

function whyUnsafe(stats: Stats): string | null {
  if (!stats.isDirectory()) return 'it is not a folder'
  if (process.getuid && stats.uid !== process.getuid()) return 'it belongs to another user'
  if (process.getuid && (stats.mode & 0o077) !== 0) return 'others may enter it (its mode must be 0700)'
  return null
}

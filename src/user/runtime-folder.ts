// The folder that holds the control sockets of one user, of services and of pools: nobody else may look into it or put anything there.
//
// A login has XDG_RUNTIME_DIR; cron and system services have not. So commands look into all folders of a user. Where the variable
// names another folder, they look only there, and beside the logs: a service that has lost that folder moves there.

import { lstatSync, statSync, type Stats } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ThreadwiseError } from '../errors/errors.js'
import { homeFolder } from './home-folder.js'
import { makeFolder } from './make-folder.js'

/** Longest path of a socket, in bytes, without the zero at its end: the smallest limit of all systems. */
const MAX_PATH_BYTES = 103

/** Where systemd keeps XDG_RUNTIME_DIR of this user. */
const usual = `/run/user/${process.getuid?.() ?? 'user'}`

/**
 * All folders in which services of this user may be, that of a new one first.
 *
 * @throws TW_ERR_RUNTIME_FOLDER as runtimeFolder()
 */
export function runtimeFolders(env: NodeJS.ProcessEnv = process.env, usualFolder = usual): string[] {
  const own = runtimeFolder(env, usualFolder)
  return [own, ...others(env, usualFolder).filter((other) => other !== own && isSafe(other))]
}

/**
 * Folders in which a service may have its socket when that of its start is gone and cannot be made again, as after a logout: the one that no
 * logout and no cleaner of temporary files touches comes first. Each is made when it is asked for; those that cannot be are left out.
 */
export function* otherRuntimeFolders(env: NodeJS.ProcessEnv = process.env): Generator<string> {
  for (const folder of others(env, usual).reverse()) {
    try {
      if (folder === join(usual, 'threadwise') && !isSafe(usual)) continue // a login makes it
      makeFolder(folder, 0o700)
    } catch {
      continue
    }
    if (isSafe(folder)) yield folder
  }
}

/** Without that of the variable, where it names a folder of its own. */
function others(env: NodeJS.ProcessEnv, usualFolder: string): string[] {
  if (process.platform === 'win32') return []
  const isOwn =
    env.XDG_RUNTIME_DIR !== undefined && env.XDG_RUNTIME_DIR !== '' && env.XDG_RUNTIME_DIR !== usualFolder
  const ofUser = isOwn ? [] : [() => join(usualFolder, 'threadwise'), inTemporary]
  return [...ofUser, () => inState(env)].flatMap((folder) => {
    try {
      return [folder()]
    } catch {
      return [] // there is no home
    }
  })
}

/**
 * The folder for a new service, made if it is not there.
 *
 * @throws TW_ERR_RUNTIME_FOLDER when it cannot be made, or others may write to it
 */
export function runtimeFolder(env: NodeJS.ProcessEnv = process.env, usualFolder = usual): string {
  let folder = '$XDG_RUNTIME_DIR/threadwise'
  let stats: Stats
  try {
    folder = folderPath(env, usualFolder)
    makeFolder(folder, 0o700)
    // Of the folder itself: somebody else may have put a link in its place, where all may write.
    stats = lstatSync(folder)
  } catch (cause) {
    throw new ThreadwiseError(
      'TW_ERR_RUNTIME_FOLDER',
      { folder, reason: (cause as Error).message },
      { cause },
    )
  }
  const reason = whyUnsafe(stats) ?? whyUnsafeIn(dirname(folder))
  if (reason) throw new ThreadwiseError('TW_ERR_RUNTIME_FOLDER', { folder, reason })
  return folder
}

/** @throws TW_ERR_RUNTIME_FOLDER when the path is too long for a socket */
export function socketPath(folder: string, name: string): string {
  const path = join(folder, `${name}.sock`)
  if (process.platform !== 'win32' && Buffer.byteLength(path) > MAX_PATH_BYTES) {
    const reason = `a socket in it would have a path of more than ${MAX_PATH_BYTES} bytes`
    throw new ThreadwiseError('TW_ERR_RUNTIME_FOLDER', { folder, reason })
  }
  return path
}

function folderPath(env: NodeJS.ProcessEnv, usualFolder: string): string {
  if (env.XDG_RUNTIME_DIR) return join(env.XDG_RUNTIME_DIR, 'threadwise')
  if (process.platform === 'win32') return inState(env) // its folders have no modes, but those of a user's profile are private
  if (isSafe(usualFolder)) return join(usualFolder, 'threadwise')
  // Anybody can make a folder of that name there first, and would keep this user from having any service.
  const shared = inTemporary()
  return lstatSync(shared, { throwIfNoEntry: false }) === undefined || isSafe(shared) ? shared : inState(env)
}

/** Where the logs are. */
function inState(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_STATE_HOME || join(homeFolder(), '.local/state'), 'threadwise', 'run')
}

function inTemporary(): string {
  return join(tmpdir(), `threadwise-${process.getuid?.() ?? 'user'}`)
}

function isSafe(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  return stats !== undefined && whyUnsafe(stats) === null
}

/** Who owns the folder above could rename ours away, and put another one in its place. */
function whyUnsafeIn(parent: string): string | null {
  const { uid, mode } = statSync(parent)
  if (!process.getuid || (uid !== process.getuid() && uid !== 0))
    return process.getuid ? `the folder above it, ${parent}, belongs to another user` : null
  const mayOthersRename = (mode & 0o022) !== 0 && (mode & 0o1000) === 0
  return mayOthersRename ? `others may rename it, in ${parent}` : null
}

function whyUnsafe(stats: Stats): string | null {
  if (!stats.isDirectory()) return 'it is not a folder'
  if (process.getuid && stats.uid !== process.getuid()) return 'it belongs to another user'
  if (process.getuid && (stats.mode & 0o077) !== 0) return 'others may enter it (its mode must be 0700)'
  return null
}

// Where programs of this user wait for doctor: /run/user/1000/threadwise/doctor/4711.sock is that of process 4711.

import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../../user/make-folder.js'
import { runtimeFolder, runtimeFolders } from '../../../user/runtime-folder.js'

/**
 * The path for this process, whose folder is there then.
 *
 * @throws TW_ERR_RUNTIME_FOLDER
 */
export function ownSocket(): string {
  const folder = join(runtimeFolder(), 'doctor')
  makeFolder(folder, 0o700)
  const path = join(folder, `${process.pid}.sock`)
  rmSync(path, { force: true }) // of a process that had this number before, and was killed
  return path
}

/** Of a process; null: it does not wait for doctor. */
export function socketOf(pid: number): string | null {
  const paths = runtimeFolders().map((folder) => join(folder, 'doctor', `${pid}.sock`))
  return paths.find((path) => existsSync(path)) ?? null
}

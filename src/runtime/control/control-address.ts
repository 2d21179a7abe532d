// Where the control sockets of this user's programs are: one for each thread that has named pools, named by its process.
//
//   /run/user/1000/threadwise/pools/4711.sock      the main thread of process 4711
//   /run/user/1000/threadwise/pools/4711-3.sock    its worker thread 3

import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runtimeFolder, runtimeFolders } from '../../user/runtime-folder.js'
import { makeFolder } from '../../user/make-folder.js'

export interface ControlAddress {
  readonly pid: number
  /** 0: the main thread. */
  readonly thread: number
  /** See control-socket.ts. */
  readonly path: string
}

const NAME = /^(\d+)(?:-(\d+))?$/
const ENDING = '.sock'

/**
 * The address of this thread, whose folder is there then.
 *
 * @throws TW_ERR_RUNTIME_FOLDER
 */
export function ownAddress(thread: number): ControlAddress {
  const { pid } = process
  const name = thread === 0 ? String(pid) : `${pid}-${thread}`
  const folder = join(runtimeFolder(), 'pools')
  makeFolder(folder, 0o700)
  const path = join(folder, name + ENDING)
  rmSync(path, { force: true }) // of a process that had this number before, and was killed
  return { pid, thread, path }
}

/**
 * Those of all programs, and of some that have ended.
 *
 * @throws TW_ERR_RUNTIME_FOLDER
 */
export function allAddresses(): ControlAddress[] {
  const folders = runtimeFolders().map((folder) => join(folder, 'pools'))
  return folders.filter(isFolder).flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(ENDING))
      .flatMap((name) => addressOf(name.slice(0, -ENDING.length), join(folder, name))),
  )
}

function addressOf(name: string, path: string): ControlAddress[] {
  const [, pid, thread = '0'] = NAME.exec(name) ?? []
  return pid === undefined ? [] : [{ pid: Number(pid), thread: Number(thread), path }]
}

/** Not a link, which could lead anywhere. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

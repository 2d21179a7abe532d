// The life of a cgroup of ours: created, emptied with SIGKILL, removed; also at exit, and by a successor after SIGKILL.
//
//   <own cgroup>/threadwise-<pid>-<n>     created by process <pid>, its n-th; stale as soon as <pid> is dead
//
// The kernel removes a cgroup only when no process is left in it, and a killed process needs a moment to go.

import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmdirSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isAlive } from '../../primitives/is-alive.js'
import { cleanUpAtExit } from './exit-cleanup.js'

export interface CgroupFolder {
  readonly path: string
  remove(): Promise<void>
  removeNow(): void
}

const stepMs = 5
const patienceMs = 2000
const patienceAtExitMs = 500

let created = 0

/**
 * Makes a cgroup below `parent` that goes away with this process at the latest.
 *
 * @param afterRemove called once, when the folder is gone.
 * @throws the system's error (EACCES, EROFS, ENOENT).
 */
export function createCgroup(parent: string, afterRemove: () => void = () => {}): CgroupFolder {
  const path = makeFolder(parent)
  let isGone = false
  const attempt = () => {
    if (isGone || !tryRemove(path)) return isGone
    isGone = true
    forget()
    afterRemove()
    return true
  }
  const removeNow = () => waitSync(attempt, patienceAtExitMs)
  const forget = cleanUpAtExit(removeNow)
  const remove = async () => {
    for (let waited = 0; !attempt() && waited < patienceMs; waited += stepMs) await delay(stepMs)
  }
  return { path, remove, removeNow }
}

/** Removes the cgroups that dead processes of threadwise left below `parent`, and kills what still runs inside. */
export function sweepCgroups(parent: string): void {
  for (const path of subfolders(parent)) {
    const match = /threadwise-(\d+)-\d+$/.exec(path)
    if (!match) continue
    const pid = Number(match[1])
    // A pid that lives may be a reused one: then the folder waits for that process to end. Pid 0 in the list is a process
    // of another pid namespace, whose owner cannot be judged from here.
    if (!isAlive(pid) && !members(path).includes(0)) waitSync(() => tryRemove(path), patienceAtExitMs)
  }
}

/** Paths of the cgroups directly below one; none when it is gone. */
export function subfolders(path: string): string[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map((entry) => join(path, entry.name))
  } catch {
    return []
  }
}

function makeFolder(parent: string): string {
  for (;;) {
    const path = join(parent, `threadwise-${process.pid}-${++created}`)
    try {
      mkdirSync(path)
      return path
    } catch (error) {
      // Made by another thread of this process, or by a dead process that had our pid: both are not ours to touch.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

function tryRemove(path: string): boolean {
  for (const nested of subfolders(path)) tryRemove(nested)
  kill(path)
  try {
    rmdirSync(path)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

function kill(path: string): void {
  const pids = members(path)
  if (pids.length === 0) return
  // Without its quota the cgroup dies at once instead of in the next period.
  write(path, 'cpu.max', 'max')
  write(path, 'cpu.cfs_quota_us', '-1')
  if (write(path, 'cgroup.kill', '1')) return
  for (const pid of pids) {
    if (pid === 0 || pid === process.pid) continue // kill(0) would hit our own process group
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Process ids inside; a threaded cgroup (v2) lists only thread ids, and a signal to one reaches its process. */
function members(path: string): number[] {
  for (const file of ['cgroup.procs', 'cgroup.threads']) {
    try {
      return readFileSync(join(path, file), 'utf8').split('\n').filter(Boolean).map(Number)
    } catch {
      // EOPNOTSUPP: threaded. ENOENT: gone.
    }
  }
  return []
}

/** Writes to a control file if there is one; tells whether the kernel took it. */
function write(path: string, file: string, text: string): boolean {
  try {
    const descriptor = openSync(join(path, file), constants.O_WRONLY) // never creates the file
    try {
      writeSync(descriptor, text)
    } finally {
      closeSync(descriptor)
    }
    return true
  } catch {
    return false
  }
}

function waitSync(attempt: () => boolean, patience: number): void {
  const clock = new Int32Array(new SharedArrayBuffer(4))
  for (let waited = 0; !attempt() && waited < patience; waited += stepMs) Atomics.wait(clock, 0, 0, stepMs)
}

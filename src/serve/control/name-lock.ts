// A lock for the name of a service: only one process of a user at a time checks whether the name is free, and takes it.
//
// Nobody ever removes the newest lock file. Whoever wants the lock creates the next file, and only one process can. So a process that
// read the folder long ago takes nothing from a later one. A file holds the id of its process and when that started, or 0 when the process
// has released it: the id of one that was killed may be that of another one by now.

import { linkSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startOf } from './process-start.js'

const LOOK_MS = 20
/** Nobody holds it for so long: another process has got the id of one that was killed. */
const MAX_MS = 30_000
const DONE = '0'

/** Runs `action` when nobody else does for this name in this folder. */
export async function withNameLock<T>(folder: string, name: string, action: () => Promise<T>): Promise<T> {
  const release = await acquire(folder, `.${name}.lock.`)
  try {
    return await action()
  } finally {
    release()
  }
}

async function acquire(folder: string, head: string): Promise<() => void> {
  const temporary = join(folder, `${head}by-${process.pid}`)
  const pathOf = (age: number) => join(folder, `${head}${age}`)
  for (;;) {
    const newest = Math.max(0, ...agesIn(folder, head))
    if (newest === 0 || isFree(pathOf(newest))) {
      const mine = pathOf(newest + 1)
      if (made(mine, temporary)) {
        const all = agesIn(folder, head)
        for (const age of all.filter((other) => other <= newest)) rmSync(pathOf(age), { force: true })
        if (Math.max(...all) === newest + 1) return () => markDone(mine, temporary)
        rmSync(mine, { force: true }) // others were faster by more than one
      }
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

function agesIn(folder: string, head: string): number[] {
  const names = readdirSync(folder).filter((name) => name.startsWith(head))
  return names.map((name) => Number(name.slice(head.length))).filter((age) => Number.isInteger(age))
}

/** By a link, so that it is never there without its content. */
function made(path: string, temporary: string): boolean {
  writeFileSync(temporary, `${process.pid} ${startOf(process.pid)}`, { mode: 0o600 })
  try {
    linkSync(temporary, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(temporary, { force: true })
  }
}

function markDone(path: string, temporary: string): void {
  writeFileSync(temporary, DONE, { mode: 0o600 })
  renameSync(temporary, path)
}

function isFree(path: string): boolean {
  try {
    const holder = readFileSync(path, 'utf8')
    if (holder === DONE || Date.now() - statSync(path).mtimeMs > MAX_MS) return true
    const [pid, start] = holder.split(' ').map(Number) as [number, number?]
    process.kill(pid, 0)
    return start !== undefined && start !== startOf(pid)
  } catch (error) {
    // ENOENT: there is a newer one.
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

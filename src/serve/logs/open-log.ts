// Opens the files of a log. Each stays the same file when rotation gives it another name.

import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export interface LogFile {
  readonly fd: number
  /** Which file it is, on its disk. Not given to another one while it is open. */
  readonly id: bigint
}

/** From the newest to the oldest; none when there is no such log. */
export function openLog(path: string): LogFile[] {
  // Rotation moves files the same way as this loop: a file may be met twice, and none is missed.
  const found = new Map<bigint, LogFile>()
  for (let age = 0; age <= oldestAge(path); age++) {
    const file = openAge(path, age)
    if (file === null) continue
    if (found.has(file.id)) closeSync(file.fd)
    else found.set(file.id, file)
  }
  return [...found.values()]
}

/** Whether there is a file, also by a link. Nobody could read a folder to its end, nor a pipe or /dev/zero. */
export function isLog(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false // such as a link that leads nowhere
  }
}

/** Null when there is no file of this age now. */
export function openAge(path: string, age: number): LogFile | null {
  try {
    const fd = openSync(age === 0 ? path : `${path}.${age}`, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)) // a pipe would wait for its writer
    const stats = fstatSync(fd, { bigint: true })
    if (stats.isFile()) return { fd, id: stats.ino }
    closeSync(fd)
    return null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

export function oldestAge(path: string): number {
  const name = basename(path)
  const ages = readdirSync(dirname(path)).map((other) => {
    return other.startsWith(`${name}.`) ? Number(other.slice(name.length + 1)) : 0
  })
  return Math.max(0, ...ages.filter((age) => Number.isInteger(age)))
}

/** Names of the services that have a log in a folder. */
export function logNames(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.log') && isLog(join(folder, name)))
    .map((name) => name.slice(0, -'.log'.length))
}

export function closeLog(files: readonly LogFile[]): void {
  for (const { fd } of files) closeSync(fd)
}

const BLOCK = 65_536
const NEWLINE = 10

/** Where the last `lines` whole lines begin: a file, by its place in the list, and a position in it. */
export function findTail(files: readonly LogFile[], lines: number): { index: number; position: number } {
  let missing = lines
  for (const [index, { fd }] of files.entries()) {
    const { size } = fstatSync(fd)
    for (let end = size; end > 0; end -= BLOCK) {
      const start = Math.max(0, end - BLOCK)
      const block = readAt(fd, start, end - start)
      for (
        let at = block.lastIndexOf(NEWLINE);
        at >= 0;
        at = at > 0 ? block.lastIndexOf(NEWLINE, at - 1) : -1
      ) {
        if (missing-- === 0) return { index, position: start + at + 1 }
      }
    }
    // The end of the line before it is in an older file.
    if (missing === 0) return { index, position: 0 }
  }
  return { index: Math.max(0, files.length - 1), position: 0 }
}

/** Shorter where the file ends. */
export function readAt(fd: number, position: number, length = BLOCK): Buffer {
  const block = Buffer.allocUnsafe(length)
  return block.subarray(0, readSync(fd, block, 0, length, position))
}

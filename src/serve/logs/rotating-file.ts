// A log file of limited size: when it is full it gets the name PATH.1, the one before PATH.2, and the oldest goes.
//
// Writes are synchronous, so that no line waits in memory when the process ends, and all lines of a call are one write: a
// reader never finds half of one where a file ends.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { whyNotOwn } from '../../user/own-output.js'
import { logLine } from './log-lines.js'

/** How often it looks whether its file is still there. */
const LOOK_MS = 500

export interface LogLimits {
  /** Bytes, after which a file is full. A single longer line is a file of its own. */
  readonly size: number
  /** Files in all, with the one that is being written; at least 2, since readers need time to follow. */
  readonly files: number
}

export interface RotatingFile {
  /** Whole lines, with their newlines. Never throws: lines that cannot be written are counted, and the count is written later. */
  write(lines: readonly Buffer[]): void
  close(): void
}

export function openRotatingFile(path: string, limits: LogLimits): RotatingFile {
  let fd = openForLines(path)
  let { size } = fstatSync(fd)
  const gap = createGap()

  const isTimeToLook = createPace()
  const reopenIfGone = () => {
    const next = openedAgain(path, fd)
    if (next !== fd) size = fstatSync(next).size
    fd = next
  }
  const append = (lines: readonly Buffer[]) => {
    try {
      const all = Buffer.concat([...gap.report(), ...lines])
      writeAll(fd, all, gap.wroteUpTo)
      size += all.length
      gap.close()
    } catch (error) {
      gap.add(lines.length, (error as Error).message)
    }
  }
  const write = (lines: readonly Buffer[]) => {
    if (isTimeToLook()) reopenIfGone()
    let start = 0
    let bytes = size
    for (const [index, { length }] of lines.entries()) {
      bytes += length
      if (bytes <= limits.size || bytes === length) continue
      if (index > start) append(lines.slice(start, index))
      fd = rotated(path, fd, limits.files)
      size = 0
      start = index
      bytes = length
    }
    if (lines.length > start) append(lines.slice(start))
  }
  return { write, close: () => closeSync(fd) }
}

/** True once in each LOOK_MS. */
function createPace(): () => boolean {
  let lookedAt = performance.now()
  return () => {
    const isDue = performance.now() - lookedAt >= LOOK_MS
    if (isDue) lookedAt = performance.now()
    return isDue
  }
}

/** Another descriptor when somebody has removed or renamed the file (logrotate): lines written here would be seen by nobody. */
function openedAgain(path: string, fd: number): number {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(fd).ino) return fd
    const next = openForLines(path)
    closeSync(fd)
    return next
  } catch {
    return fd // for instance a folder that is gone too
  }
}

/**
 * Where others may write, somebody may have put a link to a file of this user there, or a pipe, whose writer waits until somebody reads. One's own
 * links are followed.
 */
function openForLines(path: string): number {
  const foreign = whyNotOwn(path)
  if (foreign !== null) throw new Error(foreign)
  const link = lstatSync(path, { throwIfNoEntry: false })
  const own = process.getuid?.()
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants
  const fd = openSync(
    path,
    O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | (link?.isSymbolicLink() ? 0 : O_NOFOLLOW),
    0o600,
  )
  const stats = fstatSync(fd)
  const problem = !stats.isFile()
    ? 'is no file'
    : own !== undefined && stats.uid !== own
      ? 'belongs to another user'
      : undefined
  if (problem === undefined) return fd
  closeSync(fd)
  throw new Error(`${path} ${problem}`)
}

/** The descriptor of the next file. */
function rotated(path: string, fd: number, files: number): number {
  try {
    shift(path, files)
    const next = openForLines(path)
    closeSync(fd)
    return next
  } catch {
    // For instance a folder that may not be changed any more: better a file that is too large than lines that are lost.
    return fd
  }
}

function writeAll(fd: number, all: Buffer, wroteUpTo: (last: number | undefined) => void): void {
  for (let at = 0; at < all.length;) {
    at += writeSync(fd, all, at)
    wroteUpTo(all[at - 1])
  }
}

/** From the oldest on, so that each name is free when it is needed. */
function shift(path: string, files: number): void {
  const nameOf = (age: number) => (age === 0 ? path : `${path}.${age}`)
  for (let age = files - 2; age >= 0; age--) {
    try {
      renameSync(nameOf(age), nameOf(age + 1))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  // Where there were more files before.
  for (let age = files; removed(nameOf(age)); age++);
}

function removed(path: string): boolean {
  try {
    rmSync(path)
    return true
  } catch {
    return false
  }
}

/** Lines that could not be written, such as on a full disk. */
function createGap() {
  let lost = 0
  let reason = ''
  let isInsideLine = false
  return {
    add(lines: number, why: string) {
      lost += lines
      reason = why
    },
    wroteUpTo: (last: number | undefined) => void (isInsideLine = last !== NEWLINE),
    report(): Buffer[] {
      if (lost === 0) return []
      const note = logLine('serve', `up to ${lost} lines could not be written here: ${reason}`)
      return isInsideLine ? [Buffer.from('\n'), note] : [note]
    },
    close: () => void (lost = 0),
  }
}

const NEWLINE = 10

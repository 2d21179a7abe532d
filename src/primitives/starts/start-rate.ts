// How many workers the workers of a program have started lately: the last guard against tasks that start workers which start workers.
//
// All its processes and threads count in one file of the folder for temporary files: eight bytes for each start, its time. Each writer appends, and
// reads the entry as far back as the limit: if that is younger than the window, the limit is reached. Two at once may both get in.

import type { Stats } from 'node:fs'

/** In which starts are counted, in milliseconds. */
export const WINDOW_MS = 10_000
const ENTRY_BYTES = 8
/** The file is emptied when it is as long: entries of the window are few beside it. */
const MAX_BYTES = 1024 ** 2
/** Names the process whose workers they are, whatever other processes are between them. */
export const PROGRAM_VARIABLE = 'THREADWISE_PROGRAM'

const fs = () => process.getBuiltinModule('node:fs')
const os = () => process.getBuiltinModule('node:os')

/** The id of the process that is nobody's worker. */
export function programId(): string {
  const given = process.env[PROGRAM_VARIABLE] ?? ''
  return /^\d+$/.test(given) ? given : String(process.pid)
}

/** Counts a start, and says whether it is within the limit. Where there is no file to count in, all are. */
export function countStart(limit: number): boolean {
  try {
    return countIn(pathOf(programId()), limit)
  } catch {
    return true
  }
}

let isToForget = false

/** Removes the file when this process ends, if it is the program. */
export function forgetStartsAtExit(): void {
  if (isToForget || PROGRAM_VARIABLE in process.env) return
  isToForget = true
  const path = pathOf(programId())
  process.once('exit', () => {
    try {
      fs().rmSync(path, { force: true })
    } catch {
      // The permission model of Node may refuse it, and has refused the file too.
    }
  })
}

function pathOf(program: string): string {
  return `${os().tmpdir()}/threadwise-starts-${process.getuid?.() ?? 'user'}-${program}`
}

function countIn(path: string, limit: number): boolean {
  const { openSync, closeSync, fstatSync, ftruncateSync, readSync, writeSync, constants } = fs()
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  const file = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
  try {
    const stats = fstatSync(file)
    if (!isOwn(stats)) return true // somebody else has put it there
    const now = performance.timeOrigin + performance.now()
    const entry = Buffer.alloc(ENTRY_BYTES)
    const at = stats.size - (stats.size % ENTRY_BYTES) - limit * ENTRY_BYTES
    if (at >= 0) {
      readSync(file, entry, 0, ENTRY_BYTES, at)
      if (now - entry.readDoubleLE() < WINDOW_MS) return false
    }
    if (stats.size > MAX_BYTES) ftruncateSync(file)
    entry.writeDoubleLE(now)
    writeSync(file, entry)
    return true
  } finally {
    closeSync(file)
  }
}

function isOwn(stats: Stats): boolean {
  return stats.isFile() && (process.getuid === undefined || stats.uid === process.getuid())
}

// Reads the last lines of a log and those that follow, through all its rotations.

import { closeSync, fstatSync } from 'node:fs'
import { createLineSplitter, MAX_LINE_BYTES } from './log-lines.js'
import { closeLog, findTail, oldestAge, openAge, openLog, readAt, type LogFile } from './open-log.js'

export interface ReadLog {
  path: string
  /** How many of the lines that are there. */
  lines: number
  /** Goes on with the lines that come. */
  isFollowing: boolean
  /** Called when lines are gone before they could be read, since rotation was faster. */
  onGap?: () => void
}

/** How often it looks for new lines. */
const LOOK_MS = 100
/** In the file a line has the time and its writer before it. */
const MAX_BYTES = MAX_LINE_BYTES + 1024

/** Lines without their ends, as many at a time as are there. Following has no end of its own. */
export async function* readLog({
  path,
  lines,
  isFollowing,
  onGap = () => {},
}: ReadLog): AsyncGenerator<Buffer[]> {
  const files = openLog(path)
  const { index, position } = findTail(files, lines)
  closeLog(files.splice(index + 1))
  let next = position
  try {
    while (files.length > 1) {
      yield* readToEnd(createReader(files.at(-1)!.fd, next), true)
      closeLog(files.splice(-1))
      next = 0
    }
    const newest = files.pop()
    if (isFollowing) yield* follow(path, { newest: newest ?? null, position: next, onGap })
    else if (newest) yield* readAndClose(newest, next)
  } finally {
    closeLog(files)
  }
}

function* readAndClose({ fd }: LogFile, position: number): Generator<Buffer[]> {
  try {
    yield* readToEnd(createReader(fd, position), true)
  } finally {
    closeSync(fd)
  }
}

interface Reader {
  /** Null at the end, for now. */
  next(): Buffer[] | null
  rest(): Buffer[]
}

function createReader(fd: number, start: number): Reader {
  const splitter = createLineSplitter(MAX_BYTES)
  let position = start
  return {
    next() {
      // Somebody has emptied it.
      if (position > fstatSync(fd).size) position = 0
      const block = readAt(fd, position)
      position += block.length
      return block.length === 0 ? null : splitter.push(block)
    },
    rest: () => splitter.end(),
  }
}

function* readToEnd(reader: Reader, isLast: boolean): Generator<Buffer[]> {
  for (let lines = reader.next(); lines !== null; lines = reader.next()) yield lines
  if (isLast) yield reader.rest()
}

interface Following {
  newest: LogFile | null
  position: number
  onGap: () => void
}

async function* follow(path: string, { newest, position, onGap }: Following): AsyncGenerator<Buffer[]> {
  let file = newest
  try {
    let reader = file && createReader(file.fd, position)
    for (;;) {
      if (reader) yield* readToEnd(reader, false)
      const found = file ? successorOf(path, file) : { next: openAge(path, 0), hasGap: false }
      if (!found?.next) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
        continue
      }
      // It was written until it was renamed, which may be after the end was seen.
      if (reader) yield* readToEnd(reader, true)
      if (found.hasGap) onGap()
      if (file) closeSync(file.fd)
      file = found.next
      reader = createReader(file.fd, 0)
    }
  } finally {
    if (file) closeSync(file.fd)
  }
}

interface Successor {
  /** Null when it is not there yet. */
  next: LogFile | null
  hasGap: boolean
}

/** The file that came after this one, if it was rotated. */
function successorOf(path: string, file: LogFile): Successor | null {
  for (;;) {
    const age = ageOf(path, file)
    if (age === 0) return null
    if (age === null) return { next: openOldest(path) ?? null, hasGap: true }
    const next = openBelow(path, age)
    if (next !== 'moved' && ageOf(path, file) === age) return { next, hasGap: false }
    if (next !== 'moved' && next !== null) closeSync(next.fd)
  }
}

/** The next newer file. Its name may be free for a moment, while files are renamed, or for good, when somebody removed one. */
function openBelow(path: string, age: number): LogFile | null | 'moved' {
  for (let below = age - 1; below >= 0; below--) {
    const next = openAge(path, below)
    if (next === null) continue
    for (let between = below + 1; between < age; between++) {
      const moved = openAge(path, between)
      if (moved === null) continue
      closeLog([moved, next])
      return 'moved'
    }
    return next
  }
  return null
}

function openOldest(path: string): LogFile | undefined {
  const files = openLog(path)
  const oldest = files.pop()
  closeLog(files)
  return oldest
}

function ageOf(path: string, file: LogFile): number | null {
  for (let age = 0; age <= oldestAge(path); age++) {
    const other = openAge(path, age)
    if (other === null) continue
    closeSync(other.fd)
    if (other.id === file.id) return age
  }
  return null
}

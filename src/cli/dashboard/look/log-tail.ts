// The newest lines of a log, at each look those that have come since. However much is written, no look reads more than a fixed number of bytes.

import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { plain } from '../../terminal/plain.js'

const FIRST_BYTES = 256 * 1024
const MOST_BYTES = 8 * 1024 ** 2
const SEARCHED_BYTES = 4 * 1024 ** 2
/** Of a line; the file has all of it. */
const MAX_CHARACTERS = 2000
export const MOST_LINES = 500

export class LogTail {
  readonly #path: string
  #fd: number | undefined
  #position = 0
  /** Bytes of a line that has no end yet. */
  #rest: Buffer = Buffer.alloc(0)

  constructor(path: string) {
    this.#path = path
  }

  /** Lines that are whole, without their ends. Where more was written than is read at a time, the oldest are left out. */
  read(): Buffer[] {
    const before = this.#fd === undefined ? [] : this.#readOn()
    if (this.#fd !== undefined && !hasMoved(this.#fd, this.#path)) return before
    const isFirst = this.#fd === undefined
    this.close()
    this.#fd = openOwn(this.#path)
    if (this.#fd === undefined) return before
    this.#position = isFirst ? Math.max(0, fstatSync(this.#fd).size - FIRST_BYTES) : 0
    const lacksBeginning = this.#position > 0
    return [...before, ...this.#readOn().slice(lacksBeginning ? 1 : 0)]
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
    this.#rest = Buffer.alloc(0)
  }

  #readOn(): Buffer[] {
    const fd = this.#fd!
    const { size } = fstatSync(fd)
    if (size < this.#position) this.#position = 0 // somebody has emptied it
    const skipped = size - this.#position - MOST_BYTES
    if (skipped > 0) {
      this.#position += skipped
      this.#rest = Buffer.alloc(0)
    }
    const block = readBlock(fd, this.#position, Math.min(size - this.#position, MOST_BYTES))
    this.#position += block.length
    const all = Buffer.concat([this.#rest, block])
    const end = all.lastIndexOf(NEWLINE) + 1
    // A service cuts lines long before.
    this.#rest = all.length - end > MOST_BYTES ? Buffer.alloc(0) : Buffer.from(all.subarray(end))
    const lines = linesOf(all.subarray(0, end))
    return skipped > 0
      ? [Buffer.from(`... ${skipped} bytes more than can be read were written here ...`), ...lines.slice(1)]
      : lines
  }
}

const NEWLINE = 10

/** The newest lines with a text in them, whatever its case, of the last megabytes of a log. */
export function searchLog(path: string, wanted: string): string[] {
  const fd = openOwn(path)
  if (fd === undefined) return []
  try {
    const { size } = fstatSync(fd)
    const from = Math.max(0, size - SEARCHED_BYTES)
    const lower = wanted.toLowerCase()
    const lines = linesOf(readBlock(fd, from, size - from)).map(String)
    return lines
      .filter((line) => line.toLowerCase().includes(lower))
      .slice(-MOST_LINES)
      .map(shown)
  } finally {
    closeSync(fd)
  }
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, start)
    lines.push(bytes.subarray(start, end < 0 ? bytes.length : end))
    start = (end < 0 ? bytes.length : end) + 1
  }
  return lines
}

/** A line as text: cut, and without what steers a terminal or turns the direction of what follows. */
export function shown(line: string): string {
  const start = plain(line.slice(0, 2 * MAX_CHARACTERS)).slice(0, MAX_CHARACTERS)
  return line.length > MAX_CHARACTERS ? `${start} ... (${line.length} characters)` : start
}

/** The same of a line as it is in the file, of which no more is read than is shown. */
export function shownBytes(line: Buffer): string {
  if (line.length <= 4 * MAX_CHARACTERS) return shown(line.toString('utf8'))
  const start = plain(line.toString('utf8', 0, 4 * MAX_CHARACTERS)).slice(0, MAX_CHARACTERS)
  return `${start} ... (${line.length} bytes)`
}

/** Undefined where there is none, or it is not a file of this user: a pipe would wait for its writer. */
function openOwn(path: string): number | undefined {
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch {
    return undefined
  }
  const stats = fstatSync(fd)
  if (stats.isFile() && (!process.getuid || stats.uid === process.getuid())) return fd
  closeSync(fd)
  return undefined
}

/** It was rotated, and another one has its name. */
function hasMoved(fd: number, path: string): boolean {
  try {
    return statSync(path, { bigint: true }).ino !== fstatSync(fd, { bigint: true }).ino
  } catch {
    return false // there is none of this name for a moment
  }
}

function readBlock(fd: number, position: number, length: number): Buffer {
  const block = Buffer.allocUnsafe(Math.max(0, length))
  return block.subarray(0, length > 0 ? readSync(fd, block, 0, length, position) : 0)
}

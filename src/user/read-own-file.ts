// Reads a small file that only this user writes. Somebody else may have put something in its place: a pipe, whose reader would wait for ever, or a
// file without end.

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

const MAX_BYTES = 4 * 1024 ** 2

/** Throws an Error with the reason; ENOENT as node:fs does. */
export function readOwnFile(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw new Error('it is not a file')
    if (process.getuid && stats.uid !== process.getuid()) throw new Error('it belongs to another user')
    if (stats.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`)
    return readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}

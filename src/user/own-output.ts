// Writes a file that this user has named, or that has its place by default, such as a report. Where others may write too, somebody may have put a link
// there that leads to a file of this user, or a pipe, whose writer waits until somebody reads.

import { closeSync, constants, lstatSync, mkdirSync, openSync, readlinkSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Links that lead to each other. */
const MAX_LINKS = 40

/**
 * Why others decide where it would be written, such as "/tmp/r.json is a link of another user"; null: nobody does.
 *
 * @param trusted other users, by their ids
 */
export function whyNotOwn(path: string, trusted: readonly number[] = []): string | null {
  const own = process.getuid?.()
  if (own === undefined) return null
  const known = [0, own, ...trusted]
  let links = 0
  const look = (at: string): string | null => {
    const above = dirname(at) === at ? null : look(dirname(at))
    const stats = lstatSync(at, { throwIfNoEntry: false })
    if (above !== null || stats === undefined) return above
    const isOthers = !known.includes(stats.uid)
    if (stats.isSymbolicLink()) return isOthers ? `${at} is a link of another user` : follow(at)
    const isPlace = stats.isFile() || stats.isDirectory() || stats.isCharacterDevice()
    return isOthers && !isPlace ? `${at} is no file, and belongs to another user` : null
  }
  const follow = (at: string) => {
    const target = resolve(dirname(at), readlinkSync(at))
    const isDescriptor = target.startsWith('/proc/') // such as /dev/stdout: it was opened by whoever started this
    return isDescriptor || ++links > MAX_LINKS ? null : look(target)
  }
  return look(resolve(path))
}

/** Throws as node:fs does, with a reason of ours where it is not one's own. */
export function writeOwnOutput(path: string, content: string | Uint8Array): void {
  writeAt(path, content, constants.O_TRUNC)
}

/** The same at the end of what is there. */
export function appendOwnOutput(path: string, text: string): void {
  writeAt(path, text, constants.O_APPEND)
}

/** With the folders above it that are missing. `trusted`: users who decide anyway what is written, by their ids. */
export function writeOwnOutputBelow(path: string, text: string, trusted: readonly number[] = []): void {
  checkOwn(path, trusted) // before a folder is made where a link leads
  mkdirSync(dirname(path), { recursive: true })
  writeAt(path, text, constants.O_TRUNC, trusted)
}

function checkOwn(path: string, trusted: readonly number[]): void {
  const problem = whyNotOwn(path, trusted)
  if (problem === null) return
  throw Object.assign(new Error(`${path} is not written: ${problem}`), { code: 'EPERM', syscall: 'open' })
}

function writeAt(
  path: string,
  content: string | Uint8Array,
  flag: number,
  trusted: readonly number[] = [],
): void {
  checkOwn(path, trusted)
  const { O_WRONLY, O_CREAT, O_NOFOLLOW = 0 } = constants
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
  const fd = openSync(path, O_WRONLY | O_CREAT | flag | (isLink ? 0 : O_NOFOLLOW), 0o666)
  try {
    writeFileSync(fd, content)
  } catch (error) {
    const { message } = error as Error
    throw Object.assign(error as Error, { message: `${path} is not written: ${message}` }) // that of a descriptor names no file
  } finally {
    closeSync(fd)
  }
}

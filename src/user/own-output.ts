// Writes a file that this user has named, such as a report. Where others may write too, somebody may have put a link there that leads to a file of
// this user, or a pipe, whose writer waits until somebody reads.

import { closeSync, constants, lstatSync, openSync, readlinkSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Links that lead to each other. */
const MAX_LINKS = 40

/** Why others decide where it would be written, such as "/tmp/r.json is a link of another user"; null: nobody does. */
export function whyNotOwn(path: string): string | null {
  const own = process.getuid?.()
  if (own === undefined) return null
  let links = 0
  const look = (at: string): string | null => {
    const above = dirname(at) === at ? null : look(dirname(at))
    const stats = lstatSync(at, { throwIfNoEntry: false })
    if (above !== null || stats === undefined) return above
    const isOthers = ![0, own].includes(stats.uid)
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

/** Throws an Error with the reason, or as node:fs does. */
export function writeOwnOutput(path: string, text: string): void {
  const problem = whyNotOwn(path)
  if (problem !== null) throw new Error(`${path} is not written: ${problem}`)
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW = 0 } = constants
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
  const fd = openSync(path, O_WRONLY | O_CREAT | O_TRUNC | (isLink ? 0 : O_NOFOLLOW), 0o666)
  try {
    writeFileSync(fd, text)
  } finally {
    closeSync(fd)
  }
}

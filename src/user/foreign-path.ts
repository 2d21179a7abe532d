// Whether somebody else decides what lies at a path: code of others must not be run, and nothing be written where they can put a link.

import { lstatSync, readlinkSync, type Stats } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Links that lead to each other. */
const MAX_LINKS = 40

/**
 * Why the path, a folder above it, or a link on the way belongs to somebody else, such as "/tmp/node_modules belongs to somebody else (uid 65534)".
 * Null: only this user and root decide, or the system knows no owners.
 *
 * @param trusted other users, by their ids
 */
export function whyForeign(path: string, trusted: readonly number[] = []): string | null {
  const own = process.getuid?.()
  if (own === undefined) return null
  const known = [0, own, ...trusted]
  let links = 0
  const look = (at: string): string | null => {
    const parent = dirname(at)
    const above = parent === at ? null : look(parent)
    const stats = lstatSync(at, { throwIfNoEntry: false })
    if (above !== null || stats === undefined) return above
    if (!known.includes(stats.uid)) return `${at} belongs to somebody else (uid ${stats.uid})`
    return stats.isSymbolicLink() && links++ < MAX_LINKS
      ? look(join(resolve(parent, readlinkSync(at))))
      : null
  }
  return look(resolve(path))
}

/** Why others may write into a folder, whoever owns it; null: they may not, or only add what is theirs, as in /tmp. */
export function whyOpen(path: string, { mode }: Pick<Stats, 'mode'>): string | null {
  const isOpen = process.getuid !== undefined && (mode & 0o002) !== 0 && (mode & 0o1000) === 0
  return isOpen ? `others may write into ${path}` : null
}

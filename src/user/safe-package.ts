// Packages of the folder where somebody works: those that nobody else has put there, or above it.

import { realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { whyForeign, whyOpen } from './foreign-path.js'

/**
 * Why the file of a package is not to be run; null: it is one's own, or root's. In a folder that belongs to somebody else, as one that is
 * mounted into a container, also that user's: whoever works there has chosen it.
 */
export function whyUnsafePackage(file: string, folder: string): string | null {
  const isWithin = realpathSync(file).startsWith(`${realpathSync(folder)}/`)
  const trusted = isWithin ? [statSync(folder).uid] : []
  return whyForeign(file, trusted) ?? (process.platform === 'win32' ? null : openFolderOf(realpathSync(file)))
}

/** From that of the file to the outermost of packages. */
function openFolderOf(file: string): string | null {
  const top = file.indexOf('/node_modules')
  for (let at = dirname(file); top >= 0 && at.length > top; at = dirname(at)) {
    const why = whyOpen(at, statSync(at))
    if (why !== null) return why
  }
  return null
}

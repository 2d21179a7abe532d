// A folder, with those above it that are missing.

import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Throws as mkdirSync does. With `recursive` that never ends where a file system says of a new folder that its parent is missing, as /proc
 * does, and keeps the whole thread.
 */
export function makeFolder(path: string, mode?: number): void {
  const parent = dirname(path)
  if (parent !== path && !existsSync(parent)) makeFolder(parent, mode)
  try {
    mkdirSync(path, mode)
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST' && statSync(path).isDirectory()
    if (!isThere) throw error
  }
}

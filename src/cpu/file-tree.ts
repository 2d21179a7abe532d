// Reads the small text files of /proc and /sys below a root folder, so that a recorded tree can stand for a machine.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Without a prototype: Node asks for a `signal`, which somebody may have put on Object.prototype. */
const READ = Object.freeze({ __proto__: null, encoding: 'utf8' }) as unknown as { readonly encoding: 'utf8' }

export interface FileTree {
  readonly root: string
  /** Sentences on files that exist but could not be read or understood. */
  readonly problems: string[]
  /** The file's text; null where there is no such file. A file that exists and cannot be read is a problem. */
  read(path: string): string | null
  has(path: string): boolean
  /** Where `path` really is on this machine. */
  real(path: string): string
}

export function openFileTree(root = '/'): FileTree {
  const problems: string[] = []
  const real = (path: string) => join(root, path)
  const read = (path: string) => {
    try {
      return readFileSync(real(path), READ)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT' && code !== 'ENOTDIR') problems.push(`${path} could not be read (${code}).`)
      return null
    }
  }
  return { root, problems, read, real, has: (path) => existsSync(real(path)) }
}

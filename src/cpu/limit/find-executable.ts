// Finds a program on the PATH, so that its absence is an answer rather than a failed spawn.

import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The full path of a program, or null; `path` is a PATH variable. */
export function findExecutable(name: string, path = ''): string | null {
  const candidates = path
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, name))
  return candidates.find(isExecutable) ?? null
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

// In which folder a child starts, and which is its working directory then.
//
// Node finds what its options name (--import tsx, --require ./setup.cjs, --env-file=.env) from the working directory as it starts. So a child
// starts where the program did, and goes to its own folder before it loads a module.

import { accessSync, constants } from 'node:fs'
import { otherRuntime } from '../../primitives/other-runtime.js'

export interface ChildFolder {
  /** undefined: the working directory of the program. */
  readonly start: string | undefined
  /** Where it goes then; undefined: it stays. */
  readonly own: string | undefined
}

/** Of the program, when it has loaded this module: it may go elsewhere. Deno would ask whether it may be known. */
const home = otherRuntime() === 'Deno' ? undefined : workingFolder()

/** `cwd`: the option. */
export function childFolder(cwd: string | undefined): ChildFolder {
  const now = workingFolder()
  const own = cwd ?? now
  if (home === now) return { start: undefined, own: cwd }
  return home !== undefined && isOpen(home) ? { start: home, own } : { start: undefined, own }
}

/** undefined: it was removed. */
function workingFolder(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

/** It may have been removed, or the program has become another user. */
function isOpen(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK)
    return true
  } catch {
    return false
  }
}

// The current folder as its user sees it: with the links that lead there. The system knows only where they led at the start:
//
//   /srv/current -> /srv/releases/1      PWD: /srv/current      process.cwd(): /srv/releases/1
//
// A release is switched by such a link, and a reload must follow it again.

import { realpathSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { ThreadwiseError } from '../../errors/errors.js'

export function currentFolder(env: NodeJS.ProcessEnv = process.env): string {
  const { PWD: seen } = env
  return seen !== undefined && isAbsolute(seen) && leadsHere(seen) ? seen : ownFolder(seen)
}

function ownFolder(seen: string | undefined): string {
  try {
    return process.cwd()
  } catch {
    const expected = 'a folder that is there: go to another one'
    throw new ThreadwiseError('TW_ERR_INVALID_OPTION', {
      option: 'the current folder',
      expected,
      received: seen,
    })
  }
}

/** Not where the variable was inherited from a program that went elsewhere. */
function leadsHere(path: string): boolean {
  try {
    return realpathSync(path) === process.cwd()
  } catch {
    return false
  }
}

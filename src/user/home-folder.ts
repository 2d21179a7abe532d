// The home folder of this user. A container may run as a number that no user has, and without HOME: then there is none.

import { homedir } from 'node:os'

/** Throws an Error that says what to do where there is none. */
export function homeFolder(): string {
  try {
    return homedir()
  } catch {
    throw new Error('this user has no home folder: set HOME, or XDG_STATE_HOME and XDG_RUNTIME_DIR')
  }
}

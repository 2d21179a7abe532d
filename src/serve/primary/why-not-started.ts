// Why the system did not make a process.

import { existsSync } from 'node:fs'

/** The system says of a folder that is not there that the program is not. */
export function whyNotStarted({ message }: Error, cwd: string): string {
  return existsSync(cwd) ? message : `its folder ${cwd} is gone`
}

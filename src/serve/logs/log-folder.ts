// Where the log files of one user are.

import { join } from 'node:path'

export { stateFolder as logFolder } from '../../user/state-folder.js'

/** The file that a service writes now; older ones have a number more: `web.log.1`. */
export function logPath(folder: string, name: string): string {
  return join(folder, `${name}.log`)
}

// Nothing without end: who may start a worker here.
//
//   program ──> worker ──> worker ──> ...     each pool within a worker is a level, up to MAX_LEVELS
//      └─ a module of --import makes a pool ──> it does so in each worker too: that pool starts none there

import { ThreadwiseError } from '../errors/errors.js'
import { beforeOwnProgram, preloads } from './before-own-program.js'
import { variablesOfRuntime } from './single-executable.js'
import { taskModules } from './task-modules.js'

/** No program has a use for so many. Each level may have several workers. */
const MAX_LEVELS = 6
/** In how many processes of pools this one lies, whatever other processes are between them. */
export const LEVEL_VARIABLE = 'THREADWISE_LEVEL'

/** To be made with a pool, and called before each start of a worker. */
export function startGuard(call: string): () => void {
  const isOfPreload = beforeOwnProgram() === 'worker'
  return () => {
    if (isOfPreload) {
      const received = `the code of a worker is still to come, and ${preloads()} has loaded a module that makes a pool: each of its workers would make one too`
      throw refused(call, 'a program, or a task', received)
    }
    const levels = Math.max(taskModules().length, level())
    if (levels >= MAX_LEVELS)
      throw refused(
        call,
        `fewer than ${MAX_LEVELS} pools within each other`,
        `a worker ${levels} levels deep, which something that each worker runs goes on to make`,
      )
  }
}

function level(): number {
  return Number(process.env[LEVEL_VARIABLE] ?? 0) || 0
}

/** What a process needs that is to be the runtime and a worker. Electron's executable starts its app without. */
export function variablesOfWorker(): Record<string, string> {
  return { ...variablesOfRuntime(), [LEVEL_VARIABLE]: String(level() + 1) }
}

function refused(call: string, expected: string, received: string): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_INVALID_CALL', { call, expected, received })
}

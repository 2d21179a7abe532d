// Nothing without end: who may start a worker here.
//
//   program ──> worker ──> worker ──> ...     each pool within a worker is a level, up to MAX_LEVELS
//      └─ a module of --import makes a pool ──> it does so in each worker too: that pool starts none there
//
// Within the levels a tree may still be of any breadth, so the new workers of workers are limited in number for a time: start-rate.ts.

import { ThreadwiseError } from '../../errors/errors.js'
import { beforeOwnProgram, preloads } from '../before-own-program.js'
import { variablesOfRuntime } from '../single-executable.js'
import { countStart, forgetStartsAtExit, programId, PROGRAM_VARIABLE, WINDOW_MS } from './start-rate.js'
import { taskModules } from '../task-modules.js'

/** No program has a use for so many. Each level may have several workers. */
const MAX_LEVELS = 6
/** In how many processes of pools this one lies, whatever other processes are between them. */
export const LEVEL_VARIABLE = 'THREADWISE_LEVEL'

/**
 * Within the window, by all workers of a program together. A task that makes a pool for each of its calls starts few beside it, since each start takes
 * CPU time; what is within a worker of a worker has no such use.
 */
const mostNewWorkers = (level: number) => (level === 1 ? 32 : 8) * (1 + os().availableParallelism())

const os = () => process.getBuiltinModule('node:os')

/** To be made with a pool, and called before each start of a worker, with its slot: another worker in the place of one is nothing new. */
export function startGuard(call: string): (slot: number) => void {
  const isOfPreload = beforeOwnProgram() === 'worker'
  let highest = 0
  if (level() === 0) forgetStartsAtExit()
  return (slot) => {
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
    if (levels === 0 || slot <= highest) return
    highest = slot
    const limit = mostNewWorkers(levels)
    if (!countStart(limit))
      throw new ThreadwiseError('TW_ERR_TOO_MANY_STARTS', { call, limit, seconds: WINDOW_MS / 1000 })
  }
}

function level(): number {
  return Number(process.env[LEVEL_VARIABLE] ?? 0) || 0
}

/** What a process needs that is to be the runtime and a worker. Electron's executable starts its app without. */
export function variablesOfWorker(): Record<string, string> {
  return { ...variablesOfRuntime(), [LEVEL_VARIABLE]: String(level() + 1), [PROGRAM_VARIABLE]: programId() }
}

function refused(call: string, expected: string, received: string): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_INVALID_CALL', { call, expected, received })
}

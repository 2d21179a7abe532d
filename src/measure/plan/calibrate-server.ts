// Starts one process of a server without a limit, calibrates it, and ends it.

import { cpuBudget } from '../../cpu/cpu-budget.js'
import { openCpuLimit } from '../../cpu/limit/limit-child.js'
import { ThreadwiseError, isThreadwiseError } from '../../errors/errors.js'
import type { WeightedPath } from '../load/weighted-path.js'
import { startServer } from '../server/start-server.js'
import { createRandom } from '../stats/random.js'
import { calibrate } from './calibrate.js'
import type { Calibration } from './calibration.js'

export interface ServerToCalibrate {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly paths: readonly WeightedPath[]
  /** Requests per second; where it is more than one process bears, less. */
  readonly rate: number
  readonly seed: number
  readonly signal: AbortSignal
  readonly onPhase: (text: string) => void
}

/** @throws TW_ERR_INSTANCE_FAILED; the reason of the signal. Then nothing is left running. */
export async function startAndCalibrate(given: ServerToCalibrate): Promise<Calibration> {
  const { file, args, env, paths, rate, seed, signal, onPhase } = given
  const { cpus } = cpuBudget({ env: {} })
  const limit = await openCpuLimit(cpus)
  onPhase('Starting the server ...')
  try {
    const row = {
      name: 'one process',
      way: 'single',
      path: '/',
      instances: 1,
      cpus,
      role: 'baseline',
    } as const
    const server = await startServer({ file, row, args, env, limit, signal })
    try {
      return await calibrate({ server, paths, rate, random: createRandom(seed), signal, onPhase })
    } finally {
      await server.stop()
    }
  } catch (error) {
    signal.throwIfAborted()
    if (isThreadwiseError(error)) throw error
    throw new ThreadwiseError('TW_ERR_INSTANCE_FAILED', {
      file,
      reason: (error as Error).message,
      rest: 'Nothing was planned.',
    })
  } finally {
    await limit.remove()
  }
}

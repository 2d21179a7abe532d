// `threadwise resize`: changes the number of workers of a pool of a running program.

import { toJson } from '../../measure/report/figures/json.js'
import { resizePool } from '../../runtime/control/control-client.js'
import type { Size } from '../../runtime/executor/executor.js'
import { tableOf, type PoolsFlags } from './run-pools.js'

export interface ResizeRequest {
  readonly pid: number
  readonly pool: string
  readonly size: Size
}

/** Returns the exit code. */
export async function runResize({ pid, pool, size }: ResizeRequest, { json }: PoolsFlags): Promise<number> {
  const resized = await resizePool(pid, pool, size)
  process.stdout.write(json ? toJson(resized) : `${tableOf([resized])}\n`)
  return 0
}

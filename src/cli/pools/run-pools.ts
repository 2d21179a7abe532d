// `threadwise pools`: the named pools of the programs of this user, for people or as JSON.

import { toJson } from '../../measure/report/figures/json.js'
import { alignColumns } from '../../measure/report/terminal/text-table.js'
import { listPools, type FoundPool } from '../../runtime/control/control-client.js'
import { plain } from '../terminal/plain.js'

export interface PoolsFlags {
  readonly json?: boolean
}

const NONE = 'No pools. Start the program with THREADWISE_CONTROL=1, and give its pools names.'

/** Returns the exit code. */
export async function runPools({ json }: PoolsFlags): Promise<number> {
  const found = await listPools()
  if (json) {
    process.stdout.write(toJson(found))
    return 0
  }
  const { pools, silent } = found
  process.stdout.write(pools.length === 0 ? `${NONE}\n` : `${tableOf(pools)}\n`)
  if (silent.length > 0) process.stderr.write(`Without an answer within 3 seconds: ${silent.join(', ')}.\n`)
  return 0
}

const HEAD = ['PID', 'POOL', 'KIND', 'SIZE', 'QUEUED', 'RUNNING', 'DONE', 'FAILED', 'P99 WAIT', 'P99 RUN']

export function tableOf(pools: readonly FoundPool[]): string {
  return alignColumns([HEAD, ...pools.flatMap((pool) => [rowOf(pool), ...taskRowsOf(pool)])])
    .map(plain)
    .join('\n')
}

function rowOf(pool: FoundPool): string[] {
  const { pid, thread, name, kind, size, queued, running, completed, failed, waitP99, runP99 } = pool
  const process = thread === 0 ? String(pid) : `${pid} thread ${thread}`
  const counts = [size, queued, running, completed, failed].map(String)
  return [process, plain(name), kind, ...counts, inMs(waitP99), inMs(runP99)]
}

/** Where there is only one function, its times are those of the pool. */
function taskRowsOf({ tasks = [] }: FoundPool): string[][] {
  if (tasks.length < 2) return []
  const blank = HEAD.slice(2, -2).map(() => '')
  return tasks.map(({ task, waitP99, runP99 }) => [
    '',
    `  ${plain(task)}`,
    ...blank,
    inMs(waitP99),
    inMs(runP99),
  ])
}

function inMs(ms: number | null): string {
  return ms === null ? '-' : `${ms < 10 ? ms.toFixed(2) : Math.round(ms)} ms`
}

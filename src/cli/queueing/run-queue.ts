// `threadwise queue`: what a queue holds, for people or as JSON.

import { toJson } from '../../measure/report/figures/json.js'
import { alignColumns } from '../../measure/report/terminal/text-table.js'
import { queueStatus, type QueueStatus } from '../../runtime/bullmq/queue/queue-status.js'

export interface QueueFlags {
  readonly connection: string
  readonly prefix?: string
  readonly json?: boolean
}

/** Returns the exit code. */
export async function runQueue(queue: string, { connection, prefix, json }: QueueFlags): Promise<number> {
  const status = await queueStatus({ queue, connection, ...(prefix !== undefined && { prefix }) })
  process.stdout.write(json ? toJson(status) : describeQueue(status))
  return 0
}

function describeQueue({
  queue,
  waiting,
  running,
  failed,
  completed,
  oldestMs,
  workers,
}: QueueStatus): string {
  const oldest = oldestMs === null ? '' : `, the oldest for ${(oldestMs / 1000).toFixed(1)} s`
  const places = workers.reduce((sum, worker) => sum + worker.places, 0)
  const lines = [
    `Queue ${queue}: ${waiting} waiting${oldest}, ${running} running.`,
    `Kept: ${completed} completed, ${failed} failed.`,
  ]
  if (workers.length === 0) return `${lines.join('\n')}\nNo worker answers.\n`
  const rows = workers.map((worker) => [
    worker.host,
    String(worker.pid),
    `${worker.running} of ${worker.places}`,
    worker.isClosing ? 'stops' : 'takes jobs',
  ])
  const table = alignColumns([['HOST', 'PID', 'RUNNING', 'STATE'], ...rows])
  return `${lines.join('\n')}\nWorkers: ${workers.length}, for ${places} jobs at a time.\n\n${table.join('\n')}\n`
}

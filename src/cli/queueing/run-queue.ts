// `threadwise queue`: what a queue holds, for people or as JSON.

import { toJson } from '../../measure/report/figures/json.js'
import { alignColumns } from '../../measure/report/terminal/text-table.js'
import { jobs, type JobInfo } from '../../runtime/bullmq/queue-jobs.js'
import { queueStatus, type QueueStatus } from '../../runtime/bullmq/queue-status.js'
import { plain } from '../terminal/plain.js'
import { describeFailures } from './operate-queue.js'
import type { QueueFlags } from './queue-flags.js'

/** Failed jobs that are shown with the rest. */
const SHOWN = 10

/** Returns the exit code. */
export async function runQueue(queue: string, flags: QueueFlags): Promise<number> {
  const { connection, prefix, secret, json } = flags
  const address = { queue, connection, ...(prefix !== undefined && { prefix }), ...(secret && { secret }) }
  const status = await queueStatus(address)
  const failures = status.failed > 0 ? await lastFailures(address) : []
  process.stdout.write(json ? toJson({ ...status, failures }) : describeQueue(status, failures))
  return 0
}

async function lastFailures(address: Parameters<typeof jobs>[0]): Promise<readonly JobInfo[]> {
  const queue = jobs(address)
  try {
    return await queue.failures(SHOWN)
  } finally {
    await queue.close()
  }
}

function describeQueue(status: QueueStatus, failures: readonly JobInfo[]): string {
  const { queue, waiting, running, failed, completed, oldestMs, isPaused, workers } = status
  const oldest = oldestMs === null ? '' : `, the oldest for ${(oldestMs / 1000).toFixed(1)} s`
  const places = workers.reduce((sum, worker) => sum + worker.places, 0)
  const lines = [
    `Queue ${queue}: ${waiting} waiting${oldest}, ${running} running.`,
    ...(isPaused ? [`It is paused: no job is started before "threadwise queue ${queue} resume".`] : []),
    `Kept: ${completed} completed, ${failed} failed.`,
  ]
  const failedOnes = failures.length > 0 ? `\n${describeFailures(failures)}` : ''
  if (workers.length === 0) return `${lines.join('\n')}\nNo worker answers.\n${failedOnes}`
  const rows = workers.map((worker) => [
    plain(worker.host),
    String(worker.pid),
    `${worker.running} of ${worker.places}`,
    worker.isClosing ? 'stops' : isPaused ? 'paused' : 'takes jobs',
  ])
  const table = alignColumns([['HOST', 'PID', 'RUNNING', 'STATE'], ...rows])
  return `${lines.join('\n')}\nWorkers: ${workers.length}, for ${places} jobs at a time.\n\n${table.join('\n')}\n${failedOnes}`
}

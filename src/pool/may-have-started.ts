// Whether a call may have run in a worker that has died: only what surely has not may be given to another one.

import { isShared, type PoolTask } from './pool-task.js'
import type { Channel } from './pool-worker.js'

/** Where the runtime cannot tell, every call that was sent may have. */
export function mayHaveStarted(task: PoolTask, channel: Channel): boolean {
  if (task.position < 0) return false
  if (isShared(task)) return true // it said so
  if (task.terms.isFork) return true // these are not counted
  const started = channel.startedCalls?.()
  return started === undefined || ((task.position - started) | 0) < 0
}

// Whether a call may have run in a worker that has died: only what surely has not may be given to another one.

import { isShared, type PoolTask } from './pool-task.js'
import type { Channel, HeldTask } from './pool-worker.js'

/** The calls that a worker has died over: `held`, which it had from the shared queue, and those that it was sent or has told of. */
export function lostWith(
  running: Iterable<PoolTask>,
  held: readonly HeldTask[],
  channel: Channel,
): readonly HeldTask[] {
  const sent = [...running]
    .filter((task) => !held.some((other) => other.task === task))
    .map((task) => ({ task, mayHaveStarted: mayHaveStarted(task, channel) }))
  return [...held, ...sent]
}

/** Where the runtime cannot tell, every call that was sent may have. */
function mayHaveStarted(task: PoolTask, channel: Channel): boolean {
  if (task.position < 0) return false
  if (isShared(task)) return true // it said so
  if (task.terms.isFork) return true // these are not counted
  const started = channel.startedCalls?.()
  return started === undefined || ((task.position - started) | 0) < 0
}

// What becomes of the calls of a worker that has died.

import { ThreadwiseError } from '../errors.js'
import type { PoolTask } from './pool-task.js'
import type { HeldTask, WorkerExit } from './pool-worker.js'

/** Those that another worker can be given, and those that are lost. Settled ones are neither. */
export function divideHeld(held: readonly HeldTask[]): { again: PoolTask[]; lost: PoolTask[] } {
  const again: PoolTask[] = []
  const lost: PoolTask[] = []
  for (const { task, mayHaveStarted } of held) {
    if (task.isSettled) continue
    if (!mayGoAgain(task, mayHaveStarted)) lost.push(task)
    else again.push(task)
  }
  return { again, lost }
}

/**
 * A call that was sent twice may be what kills the workers, even though none of them came to start it: its arguments may
 * be too large for them.
 */
function mayGoAgain(task: PoolTask, mayHaveStarted: boolean): boolean {
  if (task.position < 0) return true
  const areBuffersGone = task.terms.transfer !== undefined
  return !mayHaveStarted && !areBuffersGone && !task.hasMoved
}

/** `tries`: times that the call was run. */
export function exitError({ name }: PoolTask, exit: WorkerExit, tries: number): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_WORKER_EXITED', { task: name, how: exit.how, tries }, exit)
}

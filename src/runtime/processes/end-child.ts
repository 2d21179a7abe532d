// Ends children: now, with the program, or not at all, where the system forbids it.

import type { ChildProcess } from 'node:child_process'
import { nextTurn } from '../../primitives/timers.js'
import { warnOfError } from '../core/warn-of-error.js'
import type { WorkerExit } from '../pool/workers/worker.js'

/** A child that is inside a synchronous task cannot notice that its channel has closed. So the end of this process takes the children along. */
const children = new Set<ChildProcess>()
function killChildren(): void {
  for (const child of children) kill(child, () => {})
}

export function endWithProgram(child: ChildProcess): void {
  if (children.size === 0) process.on('exit', killChildren)
  children.add(child)
}

export function forget(child: ChildProcess): void {
  children.delete(child)
  if (children.size === 0) process.off('exit', killChildren)
}

/** Node throws some errors, and tells others by an event. */
function kill(child: ChildProcess, onProblem: (error: Error) => void): void {
  try {
    child.kill('SIGKILL')
  } catch (error) {
    onProblem(error as Error)
  }
}

/**
 * Gives a function that ends the child now. A security module may forbid it: the program goes on and is told, and another worker takes the place.
 *
 * @param name of the worker
 * @param onGivenUp called at most once, later; the child may go on
 */
export function endingOf(
  child: ChildProcess,
  name: string,
  onGivenUp: (exit: WorkerExit) => void,
): () => void {
  let isGivenUp = false
  const giveUp = (cause: Error) => {
    if (isGivenUp) return
    isGivenUp = true
    const what = `process ${child.pid} of ${name} could not be ended (${cause.message})`
    warnOfError(`The ${what}: it may go on`, cause)
    nextTurn(() => onGivenUp({ how: `for the pool alone: its ${what}`, cause }))
  }
  child.on('error', (cause: NodeJS.ErrnoException) => {
    if (cause.syscall === 'kill') giveUp(cause)
  })
  return () => kill(child, giveUp)
}

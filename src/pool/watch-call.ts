// Who may end a call early: its signal, its time limits, and the listener of a stream. And who is warned when it takes long.

import { watchCancellation } from '../executor/cancellation.js'
import type { RunOptions } from '../executor/executor.js'
import { controlCall } from './call-control.js'
import type { Outcome } from './call-pool.js'
import type { PoolParts } from './pool-parts.js'
import { isShared, type PoolTask } from './pool-task.js'
import { warnOfTask, warnWhenSlow } from './slow-call.js'

export function watchCall(task: PoolTask, options: RunOptions, pool: PoolParts): void {
  const { terms, name } = task
  const { signal, warnAfter } = options
  const giveUp = (reason: unknown, outcome: Outcome) => giveUpCall(task, { reason, outcome }, pool)
  const cancel = (reason: unknown) => giveUp(reason, signal?.aborted ? 'cancelled' : 'failed')
  const isTaken = () => isShared(task) && !task.isQueued && !pool.shared!.withdraw(task)
  terms.watch = watchCancellation(name, options, cancel, isTaken)
  const warn = (ranMs: number) => void warnOfTask(task, pool.observer.executor, ranMs)
  if (warnAfter !== undefined) terms.watch = warnWhenSlow(terms.watch, warnAfter, warn)
  terms.listener?.connect(controlCall(task, giveUp))
}

/** Settles it at once. Its worker is told; what that still answers is dropped. */
function giveUpCall(
  task: PoolTask,
  { reason, outcome }: { readonly reason: unknown; readonly outcome: Outcome },
  { calls, shared, pumpLater }: PoolParts,
): void {
  if (task.isSettled) return
  const { delivery } = task
  task.terms.cancelReason = reason
  calls.fail(task, () => reason, outcome)
  if (delivery) delivery.slot.cancel(task, reason)
  else if (isShared(task)) shared!.withdraw(task)
  pumpLater()
}

// Who may end a call early: its signal, its time limits, and the listener of a stream. And who is warned when it takes long.

import { watchCancellation } from '../../executor/cancellation.js'
import type { RunOptions } from '../../executor/executor.js'
import type { Outcome } from '../../executor/stats.js'
import type { CallLedger } from './open-calls.js'
import type { Observer } from '../../engine/observer.js'
import type { SharedCalls } from './shared-calls.js'
import { isShared, type PoolTask, type CallHolder } from './call.js'
import { warnWhenSlow, emitSlow } from '../../engine/slow-call.js'
import { startTimer } from '../../executor/timer.js'
import { STOPPED, type CallControl } from '../../engine/call-listener.js'

/** What of a pool takes part when a call ends early. */
interface WatchedPool {
  readonly calls: CallLedger
  readonly shared: SharedCalls | undefined
  readonly observer: Observer
  readonly pumpLater: () => void
}

export function watchCall(task: PoolTask, options: RunOptions, pool: WatchedPool): void {
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
  { calls, shared, pumpLater }: WatchedPool,
): void {
  if (task.isSettled) return
  const { delivery } = task
  task.terms.cancelReason = reason
  calls.fail(task, () => reason, outcome)
  if (delivery) delivery.slot.cancel(task, reason)
  else if (isShared(task)) shared!.withdraw(task)
  pumpLater()
}

// What the listener of a call on a pool of workers may do to it, wherever the call is at that time.

/** `giveUp` settles the call with a reason, and cancels it in its worker. */
export function controlCall(
  task: PoolTask,
  giveUp: (reason: unknown, outcome: 'cancelled' | 'failed') => void,
): CallControl {
  const end = () => giveUp(STOPPED, 'cancelled')
  return {
    grant: (count) => task.delivery?.slot.grant({ type: 'credit', id: task.id, count }),
    stop() {
      if (task.isSettled) return // its end is under way to the listener, and its worker has forgotten it
      // The worker may die before the call has started there, and the call be sent again: the time counts for both.
      startTimer(task.terms.gracePeriod, end)?.unref()
      if (!task.delivery?.slot.stop(task)) end()
    },
    fail: (reason) => giveUp(reason, 'failed'),
  }
}

/** Of a call that a worker runs. */
export async function warnOfTask(task: PoolTask, executor: string, ranMs: number): Promise<void> {
  const slot = task.delivery?.slot
  if (!slot) return // its worker has died just now, and it waits to be run again
  const { id, threadId, pid } = slot.view.identity
  const where =
    threadId === undefined ? (pid === undefined ? '' : ` (process ${pid})`) : ` (thread ${threadId})`
  emitSlow(
    `Task ${JSON.stringify(task.name)} has run for ${Math.round(ranMs)} ms in worker ${id}${where} of ${executor}.`,
    task.delivery!.isWaiting
      ? 'It waits on a promise, and the worker is free for other calls.'
      : await describeStack(task, slot),
  )
}

async function describeStack(task: PoolTask, slot: CallHolder): Promise<string> {
  const stack = await slot.view.captureStack()
  if (task.isSettled) return 'It has ended since.' // the stack may be that of another call
  return stack ?? 'There is no stack: only threads show theirs, and only while they run JavaScript.'
}

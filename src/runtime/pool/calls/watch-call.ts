// Who may end a call early, wherever it is: its signal, its time limits, and the listener of a stream.

import type { RunOptions } from '../../executor/executor.js'
import type { Outcome } from '../../executor/stats.js'
import type { PoolCalls } from './pool-calls.js'
import type { Call, CallHolder } from './call.js'
import { traceToCaller } from '../../executor/caller-stack.js'
import { watchOpen } from '../../core/open-calls.js'
import { emitSlow } from '../../core/slow-call.js'
import { STOPPED, type CallControl } from '../../core/call-listener.js'
import { shownName } from '../../task/task-function.js'
import { startTimer } from '../../../primitives/timers.js'

export function watchCall(call: Call, raw: RunOptions, calls: PoolCalls): void {
  const { options, name } = call
  const giveUp = (reason: unknown, outcome: Outcome) => giveUpCall(call, { reason, outcome }, calls)
  const hasStarted = () => !call.isQueued && !call.group.withdraw(call)
  const warn = (ranMs: number) => void warnOfTask(call, calls.observer.executor, ranMs)
  options.watch = watchOpen(name, raw, { giveUp, warn, hasStarted })
  options.listener?.connect(controlCall(call, giveUp))
}

/** Settles it at once. Its worker is told; what that still answers is dropped. */
export function giveUpCall(
  call: Call,
  { reason, outcome }: { readonly reason: unknown; readonly outcome: Outcome },
  calls: PoolCalls,
): void {
  if (call.isSettled) return
  const { placement } = call
  call.options.cancelReason = reason
  // What a signal gives as its reason is left as it is: it may end many calls.
  calls.fail(call, () => (outcome === 'failed' ? traceToCaller(reason) : reason), outcome)
  if (placement) placement.slot.cancel(call, reason)
  else call.group.withdraw(call)
  call.group.pumpLater()
}

// What the listener of a call on a pool of workers may do to it, wherever the call is at that time.

/** `giveUp` settles the call with a reason, and cancels it in its worker. */
export function controlCall(
  call: Call,
  giveUp: (reason: unknown, outcome: 'cancelled' | 'failed') => void,
): CallControl {
  const end = () => giveUp(STOPPED, 'cancelled')
  return {
    grant: (count) => call.placement?.slot.grant({ type: 'credit', id: call.id, count }),
    stop() {
      if (call.isSettled) return // its end is under way to the listener, and its worker has forgotten it
      // The worker may die before the call has started there, and the call be sent again: the time counts for both.
      startTimer(call.options.gracePeriod, end)?.unref()
      if (!call.placement?.slot.stop(call)) end()
    },
    fail: (reason) => giveUp(reason, 'failed'),
  }
}

/** Of a call that a worker runs. */
export async function warnOfTask(call: Call, executor: string, ranMs: number): Promise<void> {
  const slot = call.placement?.slot
  if (!slot) return // its worker has died just now, and it waits to be run again
  const { id, threadId, pid } = slot.view.identity
  const where =
    threadId === undefined ? (pid === undefined ? '' : ` (process ${pid})`) : ` (thread ${threadId})`
  emitSlow(
    `Task ${JSON.stringify(shownName(call.name))} has run for ${Math.round(ranMs)} ms in worker ${id}${where} of ${executor}.`,
    call.placement!.isWaiting
      ? 'It waits on a promise, and the worker is free for other calls.'
      : await describeStack(call, slot),
  )
}

async function describeStack(call: Call, slot: CallHolder): Promise<string> {
  const stack = await slot.view.captureStack()
  if (call.isSettled) return 'It has ended since.' // the stack may be that of another call
  return stack ?? 'There is no stack: only threads show theirs, and only while they run JavaScript.'
}

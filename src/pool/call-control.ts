// What the listener of a call on a pool of workers may do to it, wherever the call is at that time.

import { startTimer } from '../executor/timer.js'
import { STOPPED, type CallControl } from './call-listener.js'
import type { PoolTask } from './pool-task.js'

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

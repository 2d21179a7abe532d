// What a thread that is being ended has not begun: others get it at once, as its end may take as long as the native code that a task is in.

import { mayHaveStarted } from '../pool/workers/begun-calls.js'
import type { EndedWorker, LossEvents, Unsent, WorkerExit } from '../pool/workers/worker.js'
import { stopStarting } from './call-counters.js'

/** For those that cannot go again, since they have moved memory there. */
const BLOCKED: WorkerExit = { how: 'because a call blocked it' }

/** Tells it to begin nothing more, and takes those calls from it. */
export function takeBack(
  counters: Int32Array,
  { channel, running, load }: EndedWorker,
  unsent: Unsent,
  events: LossEvents,
): void {
  stopStarting(counters)
  const calls = [...running.values()].filter((call) => !call.isSettled && !mayHaveStarted(call, channel))
  for (const call of calls) {
    unsent.remove(call)
    load.release(call)
    running.delete(call.id)
  }
  if (calls.length === 0) return
  events.onLost(
    BLOCKED,
    calls.map((call) => ({ call, mayHaveStarted: false })),
  )
  events.onChange()
}

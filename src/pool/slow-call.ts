// Warns of calls that run longer than `warnAfter`: which task, where, for how long, and what its thread is at.

import type { Cancellation } from '../executor/cancellation.js'
import { startTimer, type Timer } from '../executor/timer.js'
import { machineNow } from '../protocol/machine-clock.js'
import type { PoolTask } from './pool-task.js'
import type { WorkerSlot } from './worker-slot.js'

/** The watch over a call that also warns, once, when it has run for `ms`. */
export function warnWhenSlow(watch: Cancellation, ms: number, warn: (ranMs: number) => void): Cancellation {
  let timer: Timer
  let isOver = false
  return {
    start() {
      watch.start()
      if (isOver) return
      const since = machineNow()
      clearTimeout(timer) // its worker has died, and another one starts it again
      timer = startTimer(ms, () => {
        isOver = true
        warn(machineNow() - since)
      })
      timer?.unref()
    },
    pause: watch.pause,
    release() {
      isOver = true
      clearTimeout(timer)
      watch.release()
    },
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

async function describeStack(task: PoolTask, slot: WorkerSlot): Promise<string> {
  const stack = await slot.view.captureStack()
  if (task.isSettled) return 'It has ended since.' // the stack may be that of another call
  return stack ?? 'There is no stack: only threads show theirs, and only while they run JavaScript.'
}

/** Of a call in the caller's own thread. */
export function warnOfLocal(task: string, executor: string, ranMs: number): void {
  emitSlow(
    `Task ${JSON.stringify(task)} has run for ${Math.round(ranMs)} ms in the caller's thread, for ${executor}.`,
    'It waits on a promise.',
  )
}

function emitSlow(message: string, detail: string): void {
  process.emitWarning(message, { type: 'ThreadwiseWarning', code: 'TW_WARN_SLOW_TASK', detail })
}

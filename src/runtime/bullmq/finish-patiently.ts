// A store that refuses writes for a while (it was taken over by another server, its disk is full) is told the end of a job again and again: BullMQ
// would drop what the job gave, and it would count as one whose worker has died.

import type { Job } from 'bullmq'
import { setTimeout as sleep } from 'node:timers/promises'
import { storeErrors } from './store-errors.js'

const AGAIN_MS = 500
/** `isOver`: its worker is closed. */
export function finishPatiently(job: Job, isOver: () => boolean): void {
  job.moveToCompleted = patiently(job.moveToCompleted.bind(job), isOver)
  job.moveToFailed = patiently(job.moveToFailed.bind(job), isOver) as typeof job.moveToFailed
}

function patiently<Args extends unknown[], Result>(
  move: (...args: Args) => Promise<Result>,
  isOver: () => boolean,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    for (;;) {
      try {
        return await move(...args)
      } catch (error) {
        if (isOver() || storeErrors.whyRefused(error) === undefined) throw error
      }
      await sleep(AGAIN_MS, undefined, { ref: false })
    }
  }
}

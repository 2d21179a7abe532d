// A place with some servers and one queue, first come, first served: the main thread of an instance, its pool of threads, that of libuv.
//
// The event loop takes what is ready in turns, sockets and finished work alike. Whatever came during a turn is taken in the next one, in the
// order in which it came, so the waits are those of a queue.

import type { Job } from './job.js'

export interface Station {
  /** CPU time used for each millisecond of a job: above 1 where helper threads, such as those of the garbage collector, work beside it. */
  readonly weight: number
  /** The job that may start at once; null: it waits. */
  enter(job: Job): Job | null
  /** One job has ended: the one that may start now. */
  leave(): Job | null
}

export function createStation(servers: number, weight = 1): Station {
  const queue: Job[] = []
  let head = 0
  let busy = 0
  return {
    weight,
    enter(job) {
      if (busy === servers) {
        queue.push(job)
        return null
      }
      busy++
      return job
    },
    leave() {
      if (head === queue.length) {
        busy--
        return null
      }
      const next = queue[head++]!
      if (head > 1000 && head * 2 > queue.length) {
        queue.splice(0, head)
        head = 0
      }
      return next
    },
  }
}

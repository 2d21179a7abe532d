// Of the table of all errors: what becomes of calls.

import { show, withoutStop } from './shown-values.js'
import type { Details } from './task-error-messages.js'

export const callErrorMessages = {
  TW_ERR_TIMEOUT: (d: Details) =>
    `Task ${show(d.task)} ran longer than its timeout of ${d.timeout} ms. Raise the timeout, or make the task check task.signal.`,
  TW_ERR_QUEUE_TIMEOUT: (d: Details) =>
    `Task ${show(d.task)} did not start within its queueTimeout of ${d.timeout} ms. Send fewer calls, add workers, or wait longer.`,
  TW_ERR_QUEUE_FULL: (d: Details) =>
    `Task ${show(d.task)} was not accepted: all workers are busy and ${d.maxQueue} calls wait (maxQueue). ` +
    "Try again later, raise maxQueue, or choose another whenFull, such as 'wait'.",
  TW_ERR_DISCARDED: (d: Details) =>
    `Task ${show(d.task)} was discarded before it started, as the ${d.which} call, because ${d.maxQueue} calls wait (maxQueue, whenFull).`,
  TW_ERR_WORKER_EXITED: (d: Details) =>
    d.worker !== undefined
      ? `Worker ${d.worker} ended ${d.how}.`
      : `The worker that ran task ${show(d.task)} ended ${d.how}. The task may have run in part; ${d.rest ?? 'the pool has replaced the worker.'}` +
        (Number(d.tries) > 1 ? ` It was tried ${d.tries} times, and each time its worker ended.` : ''),
  TW_ERR_START_FAILED: (d: Details) =>
    `A worker could not start ${d.module}: ${withoutStop(d.reason)}. ${d.advice}`,
  TW_ERR_TOO_MANY_STARTS: (d: Details) =>
    `${d.call} started no worker: within workers of this program ${d.limit} new ones have started in ${d.seconds} s, and no more may. ` +
    'Make a pool once, where the module of the task is loaded, not in each call; and look for tasks that start others without end.',
  TW_ERR_START_TIMEOUT: (d: Details) =>
    `A worker did not finish loading ${d.module} within startTimeout (${d.timeout} ms). ` +
    'Look for a top-level await, a loop or a setup() that never ends, or raise startTimeout.',
  TW_ERR_CLOSED: (d: Details) =>
    `This executor was closed${d.late ? `, and task ${show(d.task)} did not finish within closeTimeout (${d.timeout} ms)` : ''}. ` +
    'Create a new executor for new tasks.',
  TW_ERR_DESTROYED: () =>
    'This executor was destroyed; its tasks were given up. Create a new executor for new tasks.',
} as const

// A job that calls its own queue: it keeps its place while it waits for another one. Where all places are taken by such jobs none is ever free, and
// nobody would know why.

import { ThreadwiseError } from '../../errors/errors.js'
import { timers } from '../../primitives/timers.js'
import { defineContext, type Context } from '../task/define-context.js'
import type { RemoteCall } from './remote-call.js'
import type { CallerStore } from './store.js'

/**
 * Travels with each job into the thread or process that runs it. Defined where there are jobs, or calls to a queue: each call of a program pays for
 * contexts that are defined, and a call that is under way gets no further ones.
 */
let jobQueue: Context<string> | undefined

/** To be called where an executor over a queue is made. */
export function knowJobs(): Context<string> {
  return (jobQueue ??= defineContext<string>('threadwise:queue of the job'))
}

/** Milliseconds without a place until that is worth a word. */
const PATIENCE_MS = 5000

/** What the contexts of a job have besides: the channel of the queue's workers, which tells it from all others. */
export function queueOfJob(channel: string): readonly [string, string] {
  return [knowJobs().name, channel]
}

export interface OwnQueueEvents {
  /** Places of all workers, as far as these have told. */
  readonly places: () => number
  /** The job that calls has the only one. */
  readonly refuse: (error: ThreadwiseError) => void
}

/**
 * Says so when a call of such a job has not started in time, and refuses it where there is one place alone. The returned function ends the
 * wait.
 */
export function watchOwnQueue(
  queue: string,
  call: Pick<RemoteCall, 'id' | 'task' | 'isSettled'>,
  { opened, places, refuse }: OwnQueueEvents & { readonly opened: Promise<CallerStore> },
): (() => void) | undefined {
  const channel = jobQueue?.getStore()
  if (channel === undefined) return undefined
  const look = async () => {
    const store = await opened
    if (call.isSettled || (await store.workersChannel()) !== channel) return
    if ((await store.ownerOf(call.id))?.isTaken !== false) return
    if (places() === 1) refuse(withoutPlace(queue, call.task))
    else warn(queue, call.task)
  }
  const timer = timers.setTimeout(() => void look().catch(() => {}), PATIENCE_MS)
  timer.unref()
  return () => timers.clearTimeout(timer)
}

function withoutPlace(queue: string, task: string): ThreadwiseError {
  const expected = `a queue with a place for it: the only one of queue "${queue}" is that of the job that calls. Call task.fork() instead, or start more workers`
  return new ThreadwiseError('TW_ERR_INVALID_CALL', {
    call: `run("${task}")`,
    expected,
    received: 'its own queue',
  })
}

function warn(queue: string, task: string): void {
  const text =
    `A job of queue "${queue}" has called task "${task}" through its own queue, and waits for a place there while it keeps its own. ` +
    'Where all places are taken by such jobs none is ever free: call task.fork() instead, or give it a queueTimeout.'
  process.emitWarning(text, { type: 'ThreadwiseWarning', code: 'TW_WARN_OWN_QUEUE' })
}

// What a worker says of a call that goes on: items, progress, and when a synchronous iterator holds its thread.

import { REPLY_ITEMS, REPLY_PAUSES, REPLY_PROGRESS, REPLY_RUNS } from '../protocol/messages.js'
import type { PoolTask } from './pool-task.js'
import type { SlotLoad } from './slot-load.js'

export interface Part {
  readonly kind: number
  readonly value: unknown
  /** Of the worker that the part comes from. */
  readonly load: SlotLoad
}

export function receivePart(task: PoolTask, { kind, value, load }: Part): void {
  if (kind === REPLY_RUNS) load.resume(task)
  else if (kind === REPLY_PAUSES) load.suspend(task)
  else if (task.isSettled) return
  else if (kind === REPLY_ITEMS) task.terms.listener?.items(value as unknown[])
  else if (kind === REPLY_PROGRESS) task.terms.listener?.progress(value)
}

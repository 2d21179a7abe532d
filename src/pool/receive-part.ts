// What a worker says of a call that goes on: items, progress, and when a synchronous iterator holds its thread.

import type { EncodedGraph } from '../protocol/encoded-graph.js'
import { readGraph } from '../protocol/graph-reader.js'
import { REPLY_ITEMS, REPLY_PAUSES, REPLY_PROGRESS, REPLY_RUNS } from '../protocol/messages.js'
import type { PoolTask } from './pool-task.js'
import type { SlotLoad } from './slot-load.js'

export interface Part {
  readonly kind: number
  readonly value: unknown
  /** The value is an EncodedGraph. */
  readonly isEncoded: boolean
  /** Of the worker that the part comes from. */
  readonly load: SlotLoad
}

export function receivePart(task: PoolTask, part: Part): void {
  if (part.kind === REPLY_RUNS) part.load.resume(task)
  else if (part.kind === REPLY_PAUSES) part.load.suspend(task)
  else if (!task.isSettled) tell(task, part)
}

function tell({ name, terms: { listener } }: PoolTask, { kind, value, isEncoded }: Part): void {
  let own = value
  try {
    const what = kind === REPLY_ITEMS ? 'An item' : 'A progress value'
    const origin = { what, task: name, where: "in the caller's thread" }
    if (isEncoded) own = readGraph(value as EncodedGraph, origin)
  } catch (error) {
    return listener?.refuse(error)
  }
  if (kind === REPLY_ITEMS) listener?.items(own as unknown[])
  else if (kind === REPLY_PROGRESS) listener?.progress(own)
}

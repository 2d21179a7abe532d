// What a worker says of a call that goes on: when it has started, items, progress, and when a synchronous iterator holds
// its thread.

import type { EncodedGraph } from '../../wire/encoded-graph.js'
import { readGraph } from '../../wire/graph-reader.js'
import {
  PARTS_ENCODED,
  REPLY_ITEMS,
  REPLY_PAUSES,
  REPLY_PROGRESS,
  REPLY_RUNS,
  REPLY_TIMED,
  type ReplyBatch,
} from '../../wire/messages.js'
import { noteStart, type Call } from '../calls/call.js'
import type { SlotLoad } from './slot-load.js'
import type { WorkerView } from './worker-view.js'

export interface Part {
  readonly kind: number
  readonly value: unknown
  /** The value is an EncodedGraph. */
  readonly isEncoded: boolean
}

export function partOf(replies: ReplyBatch, at: number): Part {
  const isEncoded = replies[at + 3] === PARTS_ENCODED
  return { kind: replies[at] as number, value: replies[at + 2], isEncoded }
}

interface Sender {
  readonly load: SlotLoad
  readonly view: WorkerView
  /** A synchronous iterator holds its thread no more. */
  pause(call: Call): void
}

/** `slot`: the worker that the part comes from. */
export function receivePart(call: Call, part: Part, slot: Sender): void {
  const { load, view } = slot
  if (part.kind === REPLY_TIMED) noteStart(call, part.value as number, view.identity.id)
  else if (part.kind === REPLY_RUNS) load.resume(call)
  else if (part.kind === REPLY_PAUSES) slot.pause(call)
  else if (!call.isSettled) tell(call, part)
}

function tell({ name, options: { listener } }: Call, { kind, value, isEncoded }: Part): void {
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

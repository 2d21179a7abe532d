// What a worker says of a call that goes on: when it has started, items, progress, and when a synchronous iterator holds
// its thread.

import { Malformed } from '../../wire/codec/input.js'
import { receive } from '../../wire/codec/packet.js'
import {
  REPLY_DONE,
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
}

export function partOf(replies: ReplyBatch, at: number): Part {
  return { kind: replies[at] as number, value: replies[at + 2] }
}

interface Sender {
  readonly load: SlotLoad
  readonly view: WorkerView
  /** A synchronous iterator holds its thread no more. */
  pause(call: Call): void
  /** So many inputs of the call have a result. */
  noteDone(call: Call, done: unknown): void
}

/** `slot`: the worker that the part comes from. */
export function receivePart(call: Call, part: Part, slot: Sender): void {
  const { load, view } = slot
  if (part.kind === REPLY_TIMED) noteStart(call, timeOf(part), view.identity.id)
  else if (part.kind === REPLY_RUNS) load.resume(call)
  else if (part.kind === REPLY_PAUSES) slot.pause(call)
  else if (part.kind === REPLY_DONE) slot.noteDone(call, part.value)
  else if (!call.isSettled) tell(call, part)
}

function timeOf({ value }: Part): number {
  if (typeof value !== 'number' || Number.isNaN(value)) throw new Malformed('a time is none')
  return value
}

function tell({ name, options: { listener } }: Call, { kind, value }: Part): void {
  const where = "in the caller's thread"
  let own: unknown
  try {
    if (kind === REPLY_PROGRESS) own = receive(value, { what: 'A progress value', task: name, where })
    else own = (value as unknown[]).map((item) => receive(item, { what: 'An item', task: name, where }))
  } catch (error) {
    if (error instanceof Malformed) throw error // it ends the worker
    return listener?.refuse(error)
  }
  if (kind === REPLY_ITEMS) listener?.items(own as unknown[])
  else if (kind === REPLY_PROGRESS) listener?.progress(own)
}

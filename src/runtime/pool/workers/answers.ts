// What a worker says of a call: when it has started, items, progress, when a synchronous iterator holds its thread, and results. A task can write to
// its worker's channel, so nothing is taken as it comes.

import { Malformed } from '../../wire/codec/input.js'
import { receive } from '../../wire/codec/packet.js'
import {
  REPLY_AWAY,
  REPLY_BACK,
  REPLY_DONE,
  REPLY_ITEMS,
  REPLY_PAUSES,
  REPLY_PROGRESS,
  REPLY_RUNS,
  REPLY_TIMED,
  type ReplyBatch,
  REPLY_RESULT,
  REPLY_UNSENDABLE,
  type EachResult,
  type Unsendable,
} from '../../wire/messages.js'
import { noteStart, type Call, callsIn } from '../calls/call.js'
import type { SlotLoad } from './slot-load.js'
import type { WorkerView } from './worker-view.js'

export interface ReplyPart {
  readonly kind: number
  readonly value: unknown
}

export function replyPartOf(replies: ReplyBatch, at: number): ReplyPart {
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
export function receivePart(call: Call, part: ReplyPart, slot: Sender): void {
  const { load, view } = slot
  if (part.kind === REPLY_TIMED) noteStart(call, timeOf(part), view.identity.id)
  else if (part.kind === REPLY_RUNS) load.resume(call)
  else if (part.kind === REPLY_PAUSES) slot.pause(call)
  else if (part.kind === REPLY_AWAY || part.kind === REPLY_BACK) load.setAway(call, part.kind === REPLY_AWAY)
  else if (part.kind === REPLY_DONE) slot.noteDone(call, part.value)
  else if (!call.isSettled) tell(call, part)
}

function timeOf({ value }: ReplyPart): number {
  if (typeof value !== 'number' || Number.isNaN(value)) throw new Malformed('a time is none')
  return value
}

function tell({ name, options: { listener } }: Call, { kind, value }: ReplyPart): void {
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

/** What does not answer all inputs holds only those from then on. @throws Malformed for a result that is not one for each input, or for a problem with it that is none */
export function checkEach(call: Call, kind: number, value: unknown): void {
  if (kind === REPLY_UNSENDABLE) return checkUnsendable(call, value)
  if (!call.options.isEach || kind !== REPLY_RESULT || call.isSettled) return
  const { results, us, readUs, isAsync } = Object(value) as { [Field in keyof EachResult]?: unknown }
  const most = callsIn(call)
  const isList = Array.isArray(results) && results.length <= most
  const isWhole = isList && (results.length === most || (isAsync === true && results.length > 0))
  const areTimes = typeof us === 'number' && typeof readUs === 'number'
  if (!isWhole || !areTimes || typeof isAsync !== 'boolean')
    throw new Malformed('the results of many inputs are none')
  if (results.length < most) dropLast(call, most - results.length)
}

/** Inputs that were not called: their caller calls them one by one. */
function dropLast(call: Call, count: number): void {
  call.args = call.args.slice(0, -count)
}

function checkUnsendable(call: Call, value: unknown): void {
  const { reason, sendable } = Object(value) as { [Field in keyof Unsendable]?: unknown }
  const most = call.options.isEach && !call.isSettled ? callsIn(call) - 1 : 0
  const isCount = Number.isInteger(sendable) && Number(sendable) >= 0
  if (typeof reason !== 'string' || !isCount || (Number(sendable) > most && !call.isSettled))
    throw new Malformed('a result that cannot be sent is none')
}

/** How many inputs of a call have a result that is about to fail by the next one. @throws Malformed */
export function inputsDone(call: Call, value: unknown): number {
  if (call.isSettled) return 0
  const isCount = Number.isInteger(value) && Number(value) >= 0 && Number(value) < callsIn(call)
  if (!call.options.isEach || !isCount) throw new Malformed('a number of inputs is none')
  return Number(value)
}

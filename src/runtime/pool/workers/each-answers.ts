// What a worker says of a call for many inputs. A task can write to its worker's channel, so nothing is taken as it comes.

import { Malformed } from '../../wire/codec/input.js'
import { REPLY_RESULT, REPLY_UNSENDABLE, type EachResult, type Unsendable } from '../../wire/messages.js'
import { callsIn, type Call } from '../calls/call.js'

/** @throws Malformed for a result that is not one for each input, or for a problem with it that is none */
export function checkEach(call: Call, kind: number, value: unknown): void {
  if (kind === REPLY_UNSENDABLE) return checkUnsendable(call, value)
  if (!call.options.isEach || kind !== REPLY_RESULT || call.isSettled) return
  const { results, us, readUs, isAsync } = Object(value) as { [Field in keyof EachResult]?: unknown }
  const isWhole = Array.isArray(results) && results.length === callsIn(call)
  const areTimes = typeof us === 'number' && typeof readUs === 'number'
  if (!isWhole || !areTimes || typeof isAsync !== 'boolean')
    throw new Malformed('the results of many inputs are none')
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

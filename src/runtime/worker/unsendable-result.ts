// Why a result cannot be sent, for its caller.

import { marked } from '../task/move.js'
import type { Carrier } from '../wire/codec/output.js'
import { BY_MESSAGE, carry } from '../wire/codec/packet.js'
import type { Unsendable } from '../wire/messages.js'
import { problemText } from '../wire/not-cloneable.js'
import { resultsIn } from './run-each.js'

export function unsendableResult(value: unknown, error: unknown, carrier = BY_MESSAGE): Unsendable {
  const hint = isIterator(value) ? '; its items come one by one when it is called with stream()' : ''
  const reason = problemText('result', error).replace(/\.$/, '') + hint
  return { reason, sendable: countSendable(resultsIn(value), carrier) }
}

/** Those that could have been sent alone. 0, too, where only all of them together cannot be. */
function countSendable(results: readonly unknown[], carrier: Carrier): number {
  const { length } = results.filter((result) => isSendable(result, carrier))
  return length < results.length ? length : 0
}

function isSendable(value: unknown, carrier: Carrier): boolean {
  try {
    carry(value, { carrier, transfer: marked() })
    return true
  } catch {
    return false
  }
}

/** Such as what a generator function returns. */
function isIterator(value: unknown): boolean {
  try {
    if (typeof value !== 'object' || value === null) return false
    const hasItems = Symbol.iterator in value || Symbol.asyncIterator in value
    return hasItems && typeof (value as { next?: unknown }).next === 'function'
  } catch {
    return false // a proxy
  }
}

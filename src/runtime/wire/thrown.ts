// Whatever a task has thrown, on its way: it arrives as it was thrown, and nothing that it holds may hide it.

import { describe } from '../../errors/errors.js'
import { marked } from '../task/move.js'
import { defineField, isError } from './codec/error-parts.js'
import type { Carrier } from './codec/output.js'
import { carry, receive, type Carriage } from './codec/packet.js'
import { Pruning } from './codec/prune.js'

/** What of it can travel: errors are pruned as they are written. */
export function asThrown(thrown: unknown, carrier: Carrier, transfer = marked()): unknown {
  if (typeof thrown === 'object' && thrown !== null && isError(thrown)) return thrown
  return new Pruning(carrier, transfer).prune(thrown)
}

/** Never throws, whatever was thrown: a failure here would end the worker. */
export function carryThrown(thrown: unknown, carrier: Carrier, transfer = marked()): Carriage {
  try {
    return carry(asThrown(thrown, carrier, transfer), { carrier, transfer })
  } catch {
    return carry(describe(thrown), { carrier })
  }
}

/**
 * Rebuilds what was thrown. Each error's stack is the worker's; `callerStack` (lines that start with "    at") is
 * appended to the outermost one, so that the trace leads from the failing line through the worker to the caller.
 */
export function receiveThrown(carried: unknown, callerStack = ''): unknown {
  return withCallerStack(receive(carried), callerStack)
}

export function withCallerStack(thrown: unknown, callerStack: string): unknown {
  if (callerStack !== '' && typeof thrown === 'object' && thrown !== null && isError(thrown))
    defineField(thrown, 'stack', `${thrown.stack}\n${callerStack}`, false)
  return thrown
}

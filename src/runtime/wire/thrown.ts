// Whatever a task has thrown, on its way: it arrives as it was thrown, and nothing that it holds may hide it.

import { describe } from '../../errors/errors.js'
import { marked } from '../task/move.js'
import { isError } from '../../primitives/any-realm.js'
import { baseOf, createError } from './kinds/error-classes.js'
import { defineField, readField } from './kinds/error-parts.js'
import type { Carrier } from './codec/output.js'
import { carry, receive, type Carriage } from './codec/packet.js'
import { Pruned } from './codec/prune.js'

const MAX_TEXT = 1 << 20

/** Whatever was thrown, to be written without what cannot travel. */
export const asThrown = (thrown: unknown): unknown => Pruned.of(thrown)

/** Never throws, whatever was thrown: a failure here would end the worker. */
export function carryThrown(thrown: unknown, carrier: Carrier, transfer = marked()): Carriage {
  try {
    return carry(Pruned.of(thrown), { carrier, transfer })
  } catch {
    return carry(withoutFields(thrown), { carrier })
  }
}

/** What is left of it where all together cannot travel, such as gigabytes: of an error its class, name, message, code and stack. */
export function withoutFields(given: unknown): unknown {
  const thrown = Pruned.valueOf(given)
  if (typeof thrown !== 'object' || thrown === null || !isError(thrown)) return describe(thrown)
  const [name, message, stack, code] = (['name', 'message', 'stack', 'code'] as const).map((key) =>
    textOf(readField(thrown, key)),
  )
  const bare = createError(baseOf(thrown), message ?? '', name ?? 'Error')
  for (const [key, value] of Object.entries({ name, stack, code }))
    if (value !== undefined) defineField(bare, key, value, key === 'code')
  return bare
}

/** Enough to know it by: it may be what is too long. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : undefined
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

// The error of a call when something of it cannot be sent.

import { ThreadwiseError } from '../../errors/errors.js'
import { encodeSpecial } from './encode-special.js'
import type { ContextValues } from '../task/define-context.js'

/** `what`: such as 'An argument', 'The result'. `error`: what the platform said, or what a toData() has thrown. */
export function notCloneable(what: string, task: string, error: unknown): ThreadwiseError {
  const reason = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
  const cause = error instanceof Error ? error.cause : undefined
  return new ThreadwiseError(
    'TW_ERR_NOT_CLONEABLE',
    { what, task, reason },
    cause === undefined ? {} : { cause },
  )
}

/** The first of a call's contexts whose value cannot be sent, by name. */
export function contextInTheWay(values: unknown): string | undefined {
  const list = values as ContextValues
  for (let i = 0; i < list.length; i += 2) {
    try {
      structuredClone(encodeSpecial(list[i + 1]) ?? list[i + 1])
    } catch {
      return `The context "${String(list[i])}"`
    }
  }
  return undefined
}

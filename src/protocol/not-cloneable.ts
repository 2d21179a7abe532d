// The error of a call when something of it cannot be sent.

import { ThreadwiseError } from '../errors.js'

/** `what`: such as 'An argument', 'The result'. `error`: what the platform said. */
export function notCloneable(what: string, task: string, error: unknown): ThreadwiseError {
  const reason = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
  return new ThreadwiseError('TW_ERR_NOT_CLONEABLE', { what, task, reason })
}

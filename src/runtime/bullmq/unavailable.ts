// A store that cannot be reached, or that refuses, as an error.

import { describe, isThreadwiseError, ThreadwiseError } from '../../errors/errors.js'

export const HOW_TO_REACH = 'Look whether it runs, and whether the connection is right.'

/** It has answered, and said no: to a password, or a right that is missing. */
export function refusal(queue: string, error: unknown): Error {
  if (isThreadwiseError(error)) return error
  const details = {
    queue,
    problem: `refuses (${describe(error)})`,
    advice: 'Look at the connection, its user, and the rights of that.',
  }
  return new ThreadwiseError('TW_ERR_STORE_UNAVAILABLE', details, { cause: error })
}

/** @param why what the connection said last; empty when it said nothing */
export function unreachable(queue: string, limitMs: number, { option = '', why = '' }): ThreadwiseError {
  const problem = `could not be reached in ${limitMs} ms${option && ` (${option})`}${why && `: ${why}`}`
  return new ThreadwiseError('TW_ERR_STORE_UNAVAILABLE', { queue, problem, advice: HOW_TO_REACH })
}

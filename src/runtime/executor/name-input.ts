// Which of the inputs of a map cannot be sent.

import { isThreadwiseError } from '../../errors/errors.js'

/**
 * Of map(): an error that says why an input cannot be sent names it by its place among all of them, and not by that in the call in which it
 * travelled. `from`: the place of the first one of that call; `isList`: they were its only argument.
 */
export function nameInput(error: unknown, from: number, isList = false): void {
  if (!isThreadwiseError(error) || error.code !== 'TW_ERR_NOT_CLONEABLE') return
  const { message, stack = '' } = error
  const place = isList ? /args\[0\]\[(\d+)\]/ : /args\[(\d+)\]/
  const told = message.replace(place, (_, index: string) => `inputs[${from + Number(index)}]`)
  error.message = told
  error.stack = stack.replace(message, () => told)
}

// The error of a call when something of it cannot be sent: it says which part, and what that is.

import { describe, ThreadwiseError } from '../../errors/errors.js'
import { isError } from '../../primitives/any-realm.js'
import type { ContextValues } from '../task/define-context.js'
import { NotSendable } from './codec/not-sendable.js'

/** `what`: such as 'An argument', 'The result'. `reason`: such as "result.save is a function", or an error that tells. */
export function notCloneable(what: string, task: string, reason: unknown): ThreadwiseError {
  const { message, cause } = isError(reason) ? reason : { message: String(reason), cause: undefined }
  const text = message.replace(/\.$/, '')
  return new ThreadwiseError(
    'TW_ERR_NOT_CLONEABLE',
    { what, task, reason: text },
    cause === undefined ? {} : { cause },
  )
}

/** The same for a value that cannot be sent. `root`: how the value is called in a path, such as `result`. */
export function notSendable(
  what: string,
  task: string,
  { root, error }: { root: string; error: unknown },
): ThreadwiseError {
  return notCloneable(what, task, error instanceof NotSendable ? reasonOf(root, error) : error)
}

/** `result.user.save is a function` */
export function problemText(root: string, error: unknown): string {
  return error instanceof NotSendable ? reasonOf(root, error).message : describe(error)
}

/**
 * What is wrong with the arguments of a call: of what, and why. A list with the values of the caller's contexts before it has these
 * at place 0, and the arguments from 1.
 */
export function argumentProblem(
  args: readonly unknown[],
  { hasContext, isEach }: { readonly hasContext: boolean; readonly isEach?: boolean },
  error: unknown,
): { readonly what: string; readonly reason: unknown } {
  const what = 'An argument'
  if (!(error instanceof NotSendable)) return { what, reason: error }
  // An only one was written without the list, if it is no input of many calls.
  const path = args.length === 1 && !isEach ? `[0]${error.path}` : error.path
  const [, first, rest = ''] = /^\[(\d+)\](.*)$/s.exec(path) ?? []
  if (!hasContext || first === undefined) return { what, reason: reasonOf('args', error, path) }
  if (first !== '0') return { what, reason: reasonOf(`args[${Number(first) - 1}]`, error, rest) }
  const [, at = '1', within = ''] = /^\[(\d+)\](.*)$/s.exec(rest) ?? []
  const name = String((args[0] as ContextValues)[Number(at) - 1])
  return { what: `The context "${name}"`, reason: reasonOf('its value', error, within) }
}

/** An error, for its cause. */
function reasonOf(root: string, { path, what, cause }: NotSendable, within = path): Error {
  return new Error(`${root}${within} is ${what}`, cause === undefined ? undefined : { cause })
}

// Runs a call in the contexts of its caller.

import { runInContexts, type ContextValues } from '../task/define-context.js'
import { WITH_CONTEXT } from '../wire/messages.js'

interface ExtraCall {
  readonly args: readonly unknown[]
  readonly extras: number
}

/** Runs a call with the arguments that its function is to get. */
export function runWithExtras({ args, extras }: ExtraCall, run: (args: readonly unknown[]) => unknown) {
  if (!(extras & WITH_CONTEXT)) return runInContexts(NO_VALUES, () => run(args))
  return runInContexts(args[0] as ContextValues, () => run(args.slice(1))) // not [values, ...own]: see listOfOne in small-integer.ts
}

const NO_VALUES: ContextValues = []

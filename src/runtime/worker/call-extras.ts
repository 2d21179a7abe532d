// Runs a call in the contexts of its caller, and of nobody else.

import { enterLater, stores } from '../task/async-scope.js'
import { contexts, runWith, type ContextValues } from '../task/define-context.js'
import { WITH_CONTEXT } from '../wire/messages.js'

interface ExtraCall {
  readonly args: readonly unknown[]
  readonly extras: number
}

/** As it was when this worker was started, without anything that a task has entered. */
const enterEmpty = enterLater()

/** Something may be in a context: a value of the caller's, or what a call before has left behind. */
export function hasExtras(extras: number): boolean {
  return extras !== 0 || stores.areEntered || (!stores.areWatched && contexts.count > 0)
}

/** Runs a call with the arguments that its function is to get. */
export function runWithExtras({ args, extras }: ExtraCall, run: (args: readonly unknown[]) => unknown) {
  if (!(extras & WITH_CONTEXT)) return enterEmpty(() => run(args))
  const values = args[0] as ContextValues
  const own = args.slice(1) // not [values, ...own]: see listOfOne in small-integer.ts
  return enterEmpty(() => runWith(values, () => run(own)))
}

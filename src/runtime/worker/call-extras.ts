// What few calls have: contexts of their caller, and arguments that travelled as a graph.

import { runInContexts, type ContextValues } from '../task/define-context.js'
import type { EncodedGraph } from '../wire/encoded-graph.js'
import { readGraph } from '../wire/graph-reader.js'
import { ENCODED, WITH_CONTEXT } from '../wire/messages.js'

interface ExtraCall {
  readonly name: string
  readonly args: readonly unknown[]
  readonly extras: number
}

/** Runs a call with the arguments that its function is to get. Throws when they cannot be read. */
export function runWithExtras({ name, args, extras }: ExtraCall, run: (args: readonly unknown[]) => unknown) {
  const list = extras & ENCODED ? readArguments(args, name) : args
  if (!(extras & WITH_CONTEXT)) return runInContexts(NO_VALUES, () => run(list))
  return runInContexts(list[0] as ContextValues, () => run(list.slice(1))) // not [values, ...own]: see listOfOne in small-integer.ts
}

function readArguments([graph]: readonly unknown[], task: string): readonly unknown[] {
  const origin = { what: 'An argument', task, where: 'in the worker' }
  return readGraph(graph as EncodedGraph, origin) as unknown[]
}

const NO_VALUES: ContextValues = []

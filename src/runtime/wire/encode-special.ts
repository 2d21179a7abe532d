// Values on their way by message: those that hold instances of registered classes, or errors, travel as a graph.
//
// A message says by a flag, or by the kind of the reply, that it carries one: no data of a user's can be taken for it.

import type { EncodedGraph } from './encoded-graph.js'
import { findSpecial, holdsNothing, NestedTooDeeply, type Special } from './find-special.js'
import { writeSpecial } from './graph-writer.js'
import { readGraph, type Origin } from './graph-reader.js'

/**
 * Undefined: the value travels as it is. Throws, with the reason, when a toData() throws or gives data that holds its own
 * instance, and when the value is nested too deeply.
 */
export function encodeSpecial(value: unknown): EncodedGraph | undefined {
  const special = find(value)
  const graph = special && writeSpecial(value, special)
  if (special?.needsCopy) findSpecial(graph) // what toData() gave may be nested deeply, too
  return graph
}

/** The same for arguments: of their list only the items travel. */
export function encodeSpecialArguments(args: readonly unknown[]): EncodedGraph | undefined {
  return args.every(holdsNothing) ? undefined : encodeSpecial(args)
}

/** What throws when it is looked at throws again when it is sent, and the caller learns of it there. */
function find(value: unknown): Special | undefined {
  try {
    return findSpecial(value)
  } catch (error) {
    if (error instanceof NestedTooDeeply) throw error
    return undefined
  }
}

// A copy of a value within one thread, as the other side of a boundary would get it.

type CloneOptions = Parameters<typeof structuredClone>[1]

/** Throws what structured clone throws, and what is wrong with a registered class. */
export function copyValue<T>(value: T, origin?: Origin, options?: CloneOptions): T {
  const graph = encodeSpecial(value)
  return graph ? (readGraph(structuredClone(graph, options), origin) as T) : structuredClone(value, options)
}

// A copy of a value within one thread, as the other side of a boundary would get it.

import { encodeSpecial } from './encode-classes.js'
import { readGraph, type Origin } from './graph-reader.js'

type CloneOptions = Parameters<typeof structuredClone>[1]

/** Throws what structured clone throws, and what is wrong with a registered class. */
export function copyValue<T>(value: T, origin?: Origin, options?: CloneOptions): T {
  const graph = encodeSpecial(value)
  return graph ? (readGraph(structuredClone(graph, options), origin) as T) : structuredClone(value, options)
}

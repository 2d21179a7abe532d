// Values on their way by message: those that hold instances of registered classes, or errors, travel as a graph.
//
// A message says by a flag, or by the kind of the reply, that it carries one: no data of a user's can be taken for it.

import { SET_CLASS, type EncodedGraph } from './encoded-graph.js'
import { findSpecial, type Special } from './find-special.js'
import { GraphWriter } from './graph-writer.js'
import { classes } from '../task/register-class.js'

/**
 * Undefined: the value travels as it is. Throws, with the reason, when a toData() throws or gives data that holds its own
 * instance.
 */
export function encodeSpecial(value: unknown): EncodedGraph | undefined {
  const special = find(value)
  if (!special) return undefined
  if (special.needsCopy) {
    const writer = new GraphWriter()
    return writer.graph({ value: writer.copy(value) })
  }
  // Structured clone makes of these what the receiver needs, except for the prototype.
  return {
    root: { value },
    nodes: [],
    steps: [...byClass(special.instances)].map(([name, list]) => [SET_CLASS, name, ...list]),
  }
}

function byClass(instances: readonly object[]): Map<string, object[]> {
  const lists = new Map<string, object[]>()
  for (const instance of instances) {
    const { name } = classes.byPrototype.get(Object.getPrototypeOf(instance))!
    const list = lists.get(name)
    if (list) list.push(instance)
    else lists.set(name, [instance])
  }
  return lists
}

/** What throws when it is looked at throws again when it is sent, and the caller learns of it there. */
function find(value: unknown): Special | undefined {
  try {
    return findSpecial(value)
  } catch {
    return undefined
  }
}

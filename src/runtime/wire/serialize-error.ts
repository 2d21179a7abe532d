// Carries whatever a task threw across the boundary, so that it arrives as it was thrown.
//
// Structured clone alone turns an instance of a subclass into a plain Error without name, code and own fields (seen on
// Node 20 to 26), and rejects some errors altogether. So errors become plain data here: encoded-graph.ts.

import { describe } from '../../errors/errors.js'
import type { EncodedGraph, EncodedValue, ErrorNode } from './encoded-graph.js'
import { define, isError } from './error-parts.js'
import { readGraph } from './graph-reader.js'
import { GraphWriter, isPrimitive } from './graph-writer.js'

export type EncodedThrown = EncodedGraph

/** Never throws, whatever was thrown: a failure here would end the worker. */
export function encodeThrown(thrown: unknown): EncodedThrown {
  try {
    const writer = new GraphWriter()
    return writer.graph(writer.write(thrown))
  } catch {
    return { nodes: [], root: { value: describe(thrown) } } // a proxy, or an object that throws when it is looked at
  }
}

/** The same with all that is not plain data described: for channels that cannot carry what structured clone can. */
export function describeFields({ nodes, root }: EncodedThrown): EncodedThrown {
  const plain = (value: EncodedValue) => ('node' in value ? value : { value: withoutObjects(value.value) })
  const plainNode = ({ base, name, message, stack, ...node }: ErrorNode): ErrorNode => ({
    ...{ base, name, message, stack },
    ...(node.className !== undefined && !node.data && { className: node.className }),
    fields: Object.fromEntries(Object.entries(node.fields).map(([key, value]) => [key, plain(value)])),
    ...(node.cause && { cause: plain(node.cause) }),
    ...(node.errors && { errors: node.errors.map(plain) }),
    ...(node.showsErrors && { showsErrors: true }),
  })
  return { root: plain(root), nodes: nodes.map(plainNode) }
}

/**
 * Rebuilds what was thrown. Each error's stack is the worker's; `callerStack` (lines that start with "    at") is
 * appended to the outermost one, so that the trace leads from the failing line through the worker to the caller.
 */
export function decodeThrown(encoded: EncodedThrown, callerStack = ''): unknown {
  const root = readGraph(encoded)
  if (isError(root) && callerStack) define(root, 'stack', `${root.stack}\n${callerStack}`, false)
  return root
}

function withoutObjects(value: unknown): unknown {
  return isPrimitive(value) ? value : describe(value)
}

// The node around each node of a script.

import type { Node } from 'acorn'
import { childNodes, type ParsedScript } from './script-functions.js'

const known = new WeakMap<ParsedScript, WeakMap<Node, Node>>()

export function parentOf(script: ParsedScript, node: Node): Node | null {
  let parents = known.get(script)
  if (!parents) known.set(script, (parents = collect(script.program)))
  return parents.get(node) ?? null
}

function collect(program: Node): WeakMap<Node, Node> {
  const parents = new WeakMap<Node, Node>()
  const visit = (node: Node) => {
    for (const child of childNodes(node)) {
      parents.set(child, node)
      visit(child)
    }
  }
  visit(program)
  return parents
}

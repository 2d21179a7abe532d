// What a caller uses on both sides of a call, and changes on one of them: while it waits for a promise, other requests run in between.

import type { Node } from 'acorn'
import { memberName, word } from '../source/ast.js'
import { isChangedAt } from '../source/constants.js'
import { freeReferences } from '../source/free-names.js'
import { parentOf } from '../source/parents.js'
import type { FunctionNode, ParsedScript } from '../source/script-functions.js'

export interface UsedAround {
  /** Such as `total` and `stats.sum`, which are of other calls too. */
  readonly name: string
  /** Changed before the call and read after it; otherwise used before it, and changed after it. */
  readonly isChangedFirst: boolean
}

export function usedAround(script: ParsedScript, caller: FunctionNode, call: Node): UsedAround[] {
  const uses = freeReferences(script, caller).filter(({ resolved }) => resolved?.defs.length)
  const before = { used: new Set<string>(), changed: new Set<string>() }
  const after = { used: new Set<string>(), changed: new Set<string>() }
  for (const reference of uses) {
    const node = reference.identifier as unknown as Node
    const changing = changingNode(script, node, reference.isWrite())
    const name = nameOf(script, node)
    const isAround = changing !== null && changing.start <= call.start && call.end <= changing.end
    if (node.start > call.end) after.used.add(name)
    if (changing !== null && (isAround || node.start > call.end)) after.changed.add(name)
    if (node.start >= call.start || (isAround && !reads(changing))) continue
    before.used.add(name)
    if (changing !== null && !isAround) before.changed.add(name)
  }
  const lost = [...after.changed].filter((name) => before.used.has(name))
  const stale = [...before.changed].filter((name) => after.used.has(name) && !lost.includes(name))
  return [
    ...lost.map((name) => ({ name, isChangedFirst: false })),
    ...stale.map((name) => ({ name, isChangedFirst: true })),
  ]
}

/** The assignment, or the call, that changes it; null: it is read. */
function changingNode(script: ParsedScript, node: Node, isWrite: boolean): Node | null {
  if (!isWrite && !isChangedAt(script, node)) return null
  let around: Node | null = node
  while (around && !/^(Assignment|Update|Unary|Call)Expression$/.test(around.type))
    around = parentOf(script, around)
  return around
}

/** `total += ...` takes what was there before its right side is known. */
function reads(node: Node | null): boolean {
  return node?.type === 'AssignmentExpression' && word(node, 'operator') !== '='
}

function nameOf(script: ParsedScript, node: Node): string {
  const member = memberName(parentOf(script, node))
  const parent = parentOf(script, parentOf(script, node) ?? node)
  const isMethod = parent?.type === 'CallExpression'
  const name = word(node, 'name')!
  return member === null || isMethod ? name : `${name}.${member}`
}

// What a caller uses on both sides of a call, and changes on one of them: while it waits for a promise, other requests run in between.
//
// That is a variable of its file, what `this` or a parameter holds, and what it has taken out of one of them: `accounts.get(id)`. A function of
// its own file that it calls counts with the variables that it uses itself.

import type { Node } from 'acorn'
import { functionsOf } from '../effects/definitions.js'
import { memberName, part, rootOf, word } from '../source/ast.js'
import { isChangedAt } from '../source/constants.js'
import { freeReferences, variableOf } from '../source/free-names.js'
import { parentOf } from '../source/parents.js'
import { childNodes, isFunction, type FunctionNode, type ParsedScript } from '../source/script-functions.js'

export interface UsedAround {
  /** Such as `total`, `stats.sum` and `this.left`, which are of other calls too. */
  readonly name: string
  /** Changed before the call and read after it; otherwise used before it, and changed after it. */
  readonly isChangedFirst: boolean
}

interface Use {
  readonly name: string
  /** Where the caller uses it. */
  readonly at: Node
  /** The assignment, or the call, that changes it; null: it is read. */
  readonly changing: Node | null
}

export function usedAround(script: ParsedScript, caller: FunctionNode, call: Node): UsedAround[] {
  const before = { used: new Set<string>(), changed: new Set<string>() }
  const after = { used: new Set<string>(), changed: new Set<string>() }
  for (const { name, at, changing } of usesIn(script, caller, call)) {
    const isAround = changing !== null && changing.start <= call.start && call.end <= changing.end
    if (at.start > call.end) after.used.add(name)
    if (changing !== null && (isAround || at.start > call.end)) after.changed.add(name)
    if (at.start >= call.start || (isAround && !reads(changing))) continue
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

function usesIn(script: ParsedScript, caller: FunctionNode, call: Node): Use[] {
  const outer = freeReferences(script, caller)
    .filter(({ resolved }) => resolved?.defs.length)
    .map((reference) => useOf(script, reference.identifier as unknown as Node, reference.isWrite()))
  const held = nodesIn(caller.body).filter((node) => isHeld(script, caller, node))
  return [
    ...outer,
    ...held.map((node) => useOf(script, node, false)),
    ...nodesIn(caller.body).flatMap((node) => (node === call ? [] : usesByCall(script, node))),
  ]
}

function useOf(script: ParsedScript, node: Node, isWrite: boolean): Use {
  return { name: nameOf(script, node), at: node, changing: changingNode(script, node, isWrite) }
}

/** Without those of inner functions that have a `this` of their own. */
function nodesIn(node: Node): Node[] {
  if (isFunction(node) && node.type !== 'ArrowFunctionExpression') return []
  return [node, ...childNodes(node).flatMap(nodesIn)]
}

/** Of `this.left` and `account.left` the first word, where others may have the same object. */
function isHeld(script: ParsedScript, caller: FunctionNode, node: Node): boolean {
  if (!/^(ThisExpression|Identifier)$/.test(node.type)) return false
  const parent = parentOf(script, node)
  if (parent?.type !== 'MemberExpression' || part(parent, 'object') !== node) return false
  if (node.type === 'ThisExpression') return !isMethodCall(script, parent)
  return isTaken(script, caller, node)
}

/** It is a parameter, or comes out of one, out of `this`, or of a variable of the file. */
export function isTaken(script: ParsedScript, caller: FunctionNode, node: Node, depth = 0): boolean {
  const variable = variableOf(script, node)
  const [definition] = variable?.defs ?? []
  const declaration = definition?.node as unknown as Node | undefined
  if (!declaration) return false
  if (definition!.type === 'Parameter') return declaration === caller && !OF_ONE_REQUEST.test(variable!.name)
  const isInside = declaration.start >= caller.start && declaration.end <= caller.end
  if (!isInside) return depth > 0 // the variable itself is looked at anyhow
  const source = takenFrom(part(declaration, 'init'))
  if (source === null || depth > MAX_DEPTH) return false
  return source.type === 'ThisExpression' || isTaken(script, caller, source, depth + 1)
}

/** What handlers are given, which is of one request alone. */
const OF_ONE_REQUEST = /^_?(req|res|request|response|reply|ctx|context|c|event|e|h|next|socket)$/i
const MAX_DEPTH = 4
/** They give what is kept there. */
const GIVES_KEPT = /^(get|find|findLast|at)$/

/** `accounts.get(id)` and `state.account` begin with what they are taken from; null: it is made anew. */
function takenFrom(node: Node | null): Node | null {
  if (node?.type === 'AwaitExpression' || node?.type === 'ChainExpression')
    return takenFrom(part(node, 'argument') ?? part(node, 'expression'))
  if (node?.type === 'LogicalExpression') return takenFrom(part(node, 'left'))
  if (node?.type === 'CallExpression') {
    const callee = part(node, 'callee')
    return GIVES_KEPT.test(memberName(callee) ?? '') ? rootOf(callee) : null
  }
  if (node?.type === 'MemberExpression' || node?.type === 'ThisExpression' || node?.type === 'Identifier')
    return rootOf(node)
  return null
}

/** `getLeft()` and `setLeft(left)`, by the variables that they use. */
function usesByCall(script: ParsedScript, node: Node): Use[] {
  const callee = node.type === 'CallExpression' ? part(node, 'callee') : null
  if (callee === null) return []
  return functionsOf(script, callee, () => null)
    .filter((each) => each.script === script)
    .flatMap((each) =>
      freeReferences(script, each.node)
        .filter(({ resolved }) => resolved?.defs.some(({ type }) => type === 'Variable'))
        .map((reference) => {
          const inner = reference.identifier as unknown as Node
          const { name, changing } = useOf(script, inner, reference.isWrite())
          return { name, at: node, changing: changing && node }
        }),
    )
}

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
  const parent = parentOf(script, node)
  const member = memberName(parent)
  const name = node.type === 'ThisExpression' ? 'this' : word(node, 'name')!
  return member === null || isMethodCall(script, parent!) ? name : `${name}.${member}`
}

function isMethodCall(script: ParsedScript, member: Node): boolean {
  const outer = parentOf(script, member)
  return outer?.type === 'CallExpression' && part(outer, 'callee') === member
}

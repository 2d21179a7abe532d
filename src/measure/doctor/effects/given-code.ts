// What an expression stands for where that depends on the calls: functions, classes and objects that a parameter is given, or that `this` is.
//
//   each(ROWS, (row) => ...)     the parameter `visit` of `each` is that arrow function
//   counter.hit()                `this` in `hit` is an instance of the class of `counter`, whose `step` may be one of its own

import type { Node } from 'acorn'
import type { Variable } from 'eslint-scope'
import { flag, memberName, part, parts } from '../source/ast.js'
import {
  definitionsOf,
  isFunctionItself,
  membersOf,
  type Definition,
  type FunctionDefinition,
} from './definitions.js'
import { variableOf } from '../source/free-names.js'
import { holderOfThis } from '../source/holder-of-this.js'
import type { FindScript } from '../source/imports.js'
import { isFunction, type ParsedScript } from '../source/script-functions.js'

const MAX_DEPTH = 8

export interface GivenCode {
  readonly findScript: FindScript
  readonly names: Map<Variable, Definition[]>
  /** What `this` is, by what `holderOfThis` gives. */
  readonly receivers: Map<Node, Definition[]>
}

/** @returns whether something is new */
export function giveCode<Key>(
  map: Map<Key, Definition[]>,
  key: Key,
  definitions: readonly Definition[],
): boolean {
  const known = map.get(key) ?? []
  map.set(key, known)
  const isNew = ({ node, isInstance }: Definition) =>
    !known.some((each) => each.node === node && each.isInstance === isInstance)
  const added = definitions.filter(isNew)
  known.push(...added)
  return added.length > 0
}

const written = new WeakMap<FindScript, Map<Node, Definition[]>>()

/** Functions, classes and objects of the user that an expression may be, by what is written there and by calls. */
export function codeAt(script: ParsedScript, node: Node | null, given: GivenCode): readonly Definition[] {
  if (node === null) return []
  const all = written.get(given.findScript) ?? new Map<Node, Definition[]>()
  written.set(given.findScript, all)
  const found = all.get(node) ?? definitionsOf(script, node, given.findScript)
  all.set(node, found)
  const more = givenCode(script, node, given)
  return more.length > 0 ? [...found, ...more] : found
}

/** The functions among them, each once. */
export function functionsAt(script: ParsedScript, node: Node | null, given: GivenCode): FunctionDefinition[] {
  const all = codeAt(script, node, given).filter(isFunctionItself)
  return all.filter((each, at) => all.findIndex((one) => one.node === each.node) === at)
}

/** Also of lists: a list stands for all that it holds. */
export function givenCode(
  script: ParsedScript,
  node: Node | null,
  given: GivenCode,
  depth = 0,
): Definition[] {
  if (node === null || depth > MAX_DEPTH) return []
  const all = (...nodes: (Node | null)[]) =>
    nodes.flatMap((each) => givenCode(script, each, given, depth + 1))
  switch (node.type) {
    case 'Identifier':
      return ofName(script, node, { given, depth })
    case 'ThisExpression':
    case 'Super':
      return given.receivers.get(holderOfThis(script, node) ?? node) ?? []
    case 'MemberExpression':
      return all(part(node, 'object')).flatMap((each) => memberOf(node, each, given.findScript))
    case 'ConditionalExpression':
      return all(part(node, 'consequent'), part(node, 'alternate'))
    case 'LogicalExpression':
      return all(part(node, 'left'), part(node, 'right'))
    case 'ChainExpression':
      return all(part(node, 'expression'))
    case 'AwaitExpression':
      return all(part(node, 'argument'))
    case 'CallExpression': // what is bound
      return memberName(part(node, 'callee')) === 'bind' ? all(part(part(node, 'callee'), 'object')) : []
    case 'ArrayExpression':
      return parts(node, 'elements').flatMap((each) => [
        ...definitionsOf(script, each, given.findScript),
        ...all(part(each, 'argument') ?? each),
      ])
  }
  return []
}

/** `this` is asked for the same few members very often. */
const known = new WeakMap<Definition, Map<string | null, Definition[]>>()

/** `list[0]` of a list of functions. */
function memberOf(node: Node, definition: Definition, findScript: FindScript): Definition[] {
  if (flag(node, 'computed') && isFunction(definition.node)) return [definition]
  const members = known.get(definition) ?? new Map<string | null, Definition[]>()
  known.set(definition, members)
  const name = memberName(node)
  const found = members.get(name) ?? membersOf(definition, name, findScript)
  members.set(name, found)
  return found
}

function ofName(
  script: ParsedScript,
  node: Node,
  { given, depth }: { given: GivenCode; depth: number },
): Definition[] {
  const variable = variableOf(script, node)
  if (!variable) return []
  const [definition] = variable.defs
  const declarator = definition?.type === 'Variable' ? (definition.node as unknown as Node) : null
  const init = part(declarator, 'id')?.type === 'Identifier' ? part(declarator, 'init') : null
  return [...(given.names.get(variable) ?? []), ...givenCode(script, init, given, depth + 1)]
}

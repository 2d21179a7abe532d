// What a call of the language, or of somebody else, changes: what a method belongs to, or what it is given to fill.

import type { Node } from 'acorn'
import { memberName, part, word } from '../source/ast.js'
import { CHANGING } from '../source/constants.js'
import { variableOf } from '../source/free-names.js'
import { parentOf } from '../source/parents.js'
import { childNodes, isFunction, type ParsedScript } from '../source/script-functions.js'
import { isSticky } from './kept.js'
import { NONE, type Origins } from './origins.js'

/** Their first argument is what they change. */
const OF_FIRST =
  /^(Object|Reflect|Atomics)\.(assign|define\w+|setPrototypeOf|set|deleteProperty|preventExtensions|freeze|seal|add|and|compareExchange|exchange|or|store|sub|xor)$|\.(getRandomValues|randomFill(Sync)?|copy)$|^(getRandomValues|randomFillSync|randomFill)$/
/** Their second one. */
const OF_SECOND = /\.encodeInto$/

export interface ChangingCall {
  readonly script: ParsedScript
  readonly node: Node
  readonly name: string
  readonly owner: Origins
  readonly first: Origins
  /** Null: there is none. */
  readonly second: Origins | null
}

/** Where these are from, that is changed. */
export function changedBy({ script, node, name, owner, first, second }: ChangingCall): Origins[] {
  const callee = part(node, 'callee')
  const object = part(callee, 'object')
  const holder = word(object, 'name') ?? ''
  const full = object ? `${holder}.${name}` : name
  const isOfLanguage = /^(Object|Reflect|Atomics)$/.test(holder)
  const borrowed =
    holder === 'Reflect' && name === 'apply'
      ? memberName((node as unknown as { arguments: Node[] }).arguments[0] ?? null)
      : /^(call|apply)$/.test(name)
        ? memberName(object)
        : null
  return [
    ...(object && CHANGING.test(name) && !isOfLanguage ? [owner] : []),
    ...(OF_FIRST.test(full) ? [first] : []),
    ...(OF_SECOND.test(full) && second ? [second] : []),
    ...(object && name === 'decode' && second ? [owner] : []), // `stream: true`: it keeps the rest for the next part
    ...(borrowed !== null && CHANGING.test(borrowed)
      ? [holder === 'Reflect' ? (second ?? NONE) : first]
      : []),
    ...(object && /^(test|exec)$/.test(name) && !isWholeSearch(script, node) ? [stickyOf(owner)] : []),
  ]
}

/** Of patterns that remember where they were. */
function stickyOf(owner: Origins): Origins {
  const holds = (node: Node | null): boolean =>
    node !== null && (isSticky(node) || childNodes(node).some(holds))
  return new Map(
    [...owner].filter(
      ([origin]) =>
        'home' in origin && holds(part(origin.home.variable.defs[0]?.node as unknown as Node, 'init')),
    ),
  )
}

/** `while ((match = PATTERN.exec(text)))`, which ends where nothing is found any more: then it begins anew. */
function isWholeSearch(script: ParsedScript, node: Node): boolean {
  let each: Node = node
  let around = parentOf(script, node)
  while (around && /^(Assignment|Binary|Logical)Expression$/.test(around.type))
    [each, around] = [around, parentOf(script, around)]
  const leaves = (inner: Node): boolean =>
    /^(Break|Return|Throw)Statement$/.test(inner.type) ||
    (!isFunction(inner) && childNodes(inner).some(leaves))
  return (
    /^(While|For)Statement$/.test(around?.type ?? '') &&
    part(around, 'test') === each &&
    !leaves(part(around, 'body')!)
  )
}

/** `list.push` as a value, for somebody to call it. */
export function isChangingMethod(node: Node): boolean {
  return node.type === 'MemberExpression' && CHANGING.test(memberName(node) ?? '')
}

/** The key in `map.set(key, value)`, of a new Map whose keys nobody asks for. */
export function isUnaskedKey(script: ParsedScript, callee: Node, at: number): boolean {
  const object = part(callee, 'object')
  const variable =
    at === 0 && memberName(callee) === 'set' && object?.type === 'Identifier'
      ? variableOf(script, object)
      : null
  const [definition] = variable?.defs ?? []
  const made = part(part(definition?.node as unknown as Node, 'init'), 'callee')
  if (!variable || !/^(Weak)?Map$/.test(word(made, 'name') ?? '')) return false
  return variable.references.every(({ identifier, init }) => {
    const parent = parentOf(script, identifier as unknown as Node)
    return (
      init === true ||
      (part(parent, 'object') === (identifier as unknown) && KEYLESS.test(memberName(parent) ?? ''))
    )
  })
}

/** Of a Map, what gives no key. */
const KEYLESS = /^(get|set|has|delete|clear|size|values)$/

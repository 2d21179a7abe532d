// Variables of a file that are the same in every thread: made of nothing but text, numbers and tables, and changed by nobody.

import type { Node } from 'acorn'
import type { Variable } from 'eslint-scope'
import { flag, memberName, part, parts, rootOf, word } from './ast.js'
import { parentOf } from './parents.js'
import { isFunction, type ParsedScript } from './script-functions.js'

const MAKERS = /^(Array|Object|JSON|Math|Number|String|BigInt|Boolean|Symbol|Buffer|Intl|Map|Set|RegExp|URL|TextEncoder|TextDecoder|\w+Array)$/ // prettier-ignore
const CHANGING =
  /^(add|append|clear|copyWithin|delete|fill|pop|push|reverse|set|shift|sort|splice|unshift|write\w*)$/

/** Whether its value is a constant as far as its own expression goes. An empty container is there to be filled. */
export function isConstant(node: Node): boolean {
  if (isFunction(node)) return true
  switch (node.type) {
    case 'Literal':
    case 'Identifier':
    case 'TemplateElement':
      return true
    case 'TemplateLiteral':
      return parts(node, 'expressions').every(isConstant)
    case 'ArrayExpression':
      return parts(node, 'elements').length > 0 && parts(node, 'elements').every(isConstant)
    case 'SpreadElement':
    case 'UnaryExpression':
      return isConstant(part(node, 'argument')!)
    case 'ObjectExpression':
      return parts(node, 'properties').length > 0 && parts(node, 'properties').every(isConstantProperty)
    case 'BinaryExpression':
    case 'LogicalExpression':
      return isConstant(part(node, 'left')!) && isConstant(part(node, 'right')!)
    case 'MemberExpression':
      return (
        isConstant(part(node, 'object')!) && (!flag(node, 'computed') || isConstant(part(node, 'property')!))
      )
    case 'NewExpression':
    case 'CallExpression':
      return isMaker(node)
    default:
      return false
  }
}

function isConstantProperty(node: Node): boolean {
  if (node.type === 'SpreadElement') return isConstant(node)
  return word(node, 'kind') === 'init' && isConstant(part(node, 'value')!)
}

/** `Object.freeze({ ... })`, `new Set([1, 2])`: of the language, with arguments that are constants. */
function isMaker(node: Node): boolean {
  const callee = part(node, 'callee')
  const given = parts(node, 'arguments')
  const isKnown = MAKERS.test(word(rootOf(callee), 'name') ?? '') && memberName(callee) !== 'random'
  return isKnown && given.length > 0 && given.every(isConstant)
}

/** Whether anything in its file changes what it holds, or gives it to code that could. */
export function isChanged(script: ParsedScript, variable: Variable, init: Node | null): boolean {
  const isContainer = init !== null && /^(Array|Object|New|Call)Expression$/.test(init.type)
  return variable.references.some((reference) => {
    const identifier = reference.identifier as unknown as Node
    if (reference.init) return false
    return (
      reference.isWrite() ||
      isChangedAt(script, identifier) ||
      (isContainer && isGivenAway(script, identifier))
    )
  })
}

/** To a function that is not the language's, or to another name. */
function isGivenAway(script: ParsedScript, identifier: Node): boolean {
  const parent = parentOf(script, identifier)
  if (parent?.type === 'CallExpression' && part(parent, 'callee') !== identifier)
    return !MAKERS.test(word(rootOf(part(parent, 'callee')), 'name') ?? '')
  if (parent?.type === 'VariableDeclarator') return part(parent, 'id')?.type === 'Identifier'
  return parent?.type === 'AssignmentExpression' && part(parent, 'right') === identifier
}

function isChangedAt(script: ParsedScript, identifier: Node): boolean {
  let node = identifier
  for (;;) {
    const parent = parentOf(script, node)
    if (parent === null) return false
    if (parent.type === 'MemberExpression' && part(parent, 'object') === node) {
      const outer = parentOf(script, parent)
      const isCalled = outer?.type === 'CallExpression' && part(outer, 'callee') === parent
      if (isCalled) return memberName(parent) === null || CHANGING.test(memberName(parent)!)
      node = parent
      continue
    }
    if (parent.type === 'AssignmentExpression') return part(parent, 'left') === node
    return parent.type === 'UpdateExpression' || (parent.type === 'UnaryExpression' && word(parent, 'operator') === 'delete') // prettier-ignore
  }
}

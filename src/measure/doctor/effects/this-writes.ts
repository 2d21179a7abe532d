// What a method changes of its own object.

import type { Node } from 'acorn'
import { memberName, part, word } from '../source/ast.js'
import { CHANGING } from '../source/constants.js'
import { childNodes, isFunction } from '../source/script-functions.js'

/** The field of `this` that it changes; null: none. */
export function thisWrites(node: Node): string | null {
  let found: string | null = null
  const visit = (each: Node) => {
    if (each !== node && ((isFunction(each) && each.type !== 'ArrowFunctionExpression') || isClassNode(each)))
      return
    const target =
      part(each, 'left') ?? (/^(Update|Unary)Expression$/.test(each.type) ? part(each, 'argument') : null)
    const isWriting = /^(Assignment|Update)Expression$/.test(each.type) || word(each, 'operator') === 'delete'
    if (isWriting) for (const member of membersIn(target)) found ??= fieldOfThis(member)
    const callee = each.type === 'CallExpression' ? part(each, 'callee') : null
    if (callee && CHANGING.test(memberName(callee) ?? '')) found ??= fieldOfThis(part(callee, 'object'))
    for (const child of childNodes(each)) visit(child)
  }
  if (!isClassNode(node)) visit(node)
  return found
}

const isClassNode = ({ type }: Node) => /^Class/.test(type)

/** Of the target of an assignment, also of a pattern. */
function membersIn(target: Node | null): Node[] {
  if (target === null) return []
  return target.type === 'MemberExpression'
    ? [target]
    : /Pattern$|Property|RestElement/.test(target.type)
      ? childNodes(target).flatMap(membersIn)
      : []
}

/** "calls" of `this.calls.n`; null: it is nothing of `this`. */
function fieldOfThis(node: Node | null): string | null {
  if (node?.type === 'CallExpression') return fieldOfThis(part(part(node, 'callee'), 'object'))
  if (node?.type !== 'MemberExpression') return null
  const object = part(node, 'object')
  return object?.type === 'ThisExpression' ? (memberName(node) ?? 'fields') : fieldOfThis(object)
}

// To what a `this` belongs: the function or the field around it, and what that is a member of.

import type { Node } from 'acorn'
import { part } from './ast.js'
import { parentOf } from './parents.js'
import { isFunction, type ParsedScript } from './script-functions.js'

/** The function, or the field of a class, of which it is the `this`. Arrow functions have that of what is around them. Null: the file. */
export function holderOfThis(script: ParsedScript, node: Node): Node | null {
  let [inner, around] = [node, parentOf(script, node)]
  while (around !== null) {
    if (isFunction(around) && around.type !== 'ArrowFunctionExpression') return around
    if (around.type === 'PropertyDefinition' && part(around, 'value') === inner) return around
    ;[inner, around] = [around, parentOf(script, around)]
  }
  return null
}

/** The member of a class, or of an object that is written out, that such a function is; null: it is none. */
export function memberOfHolder(script: ParsedScript, holder: Node | null): Node | null {
  const member = holder?.type === 'PropertyDefinition' ? holder : holder && parentOf(script, holder)
  const isMember = /^(MethodDefinition|PropertyDefinition|Property)$/.test(member?.type ?? '')
  return isMember && (member === holder || part(member, 'value') === holder) ? member : null
}

/** The class, or the object, that has this member. */
export function ownerOfMember(script: ParsedScript, member: Node): Node | null {
  const around = parentOf(script, member)
  return around?.type === 'ClassBody' ? parentOf(script, around) : around
}

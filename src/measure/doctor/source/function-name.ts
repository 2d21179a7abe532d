// The name of a function that has none: that of what holds it.

import type { Node } from 'acorn'
import { memberName, part, parts, word } from './ast.js'

/** @param path from the outermost node to the function; null: nothing names it */
export function heldName(path: readonly Node[]): string | null {
  const node = path.at(-1)!
  const parent = path.at(-2)
  if (!parent) return null
  if (parent.type === 'CallExpression' || parent.type === 'NewExpression') return ofCall(parent, path)
  if (parent.type === 'ExportDefaultDeclaration') return 'default'
  if (parent.type === 'AssignmentExpression') return nameOf(part(parent, 'left'))
  if (parent.type === 'AssignmentPattern') return nameOf(part(parent, 'left'))
  const entry = parent.type === 'ArrayExpression' ? keyOfEntry(parent, node) : null
  if (entry !== null) return entry
  if (parent.type === 'ArrayExpression' || parent.type === 'ConditionalExpression')
    return heldName(path.slice(0, -1))
  const key = part(parent, 'id') ?? part(parent, 'key')
  return key === node ? null : nameOf(key)
}

/** Of `['/report', () => ...]`, as maps and tables of routes are made of. */
function keyOfEntry(list: Node, node: Node): string | null {
  const [key, value, ...others] = parts(list, 'elements')
  return value === node && others.length === 0 && key?.type === 'Literal' ? word(key, 'value') : null
}

/** `__name(() => ..., "f")`, as esbuild writes it, `app.get('/report', ...)`, and others by what they are given to. */
function ofCall(call: Node, path: readonly Node[]): string | null {
  const callee = part(call, 'callee')
  if (callee === path.at(-1)) return null
  const given = parts(call, 'arguments')
  const texts = given.flatMap((each) =>
    each.type === 'Literal' ? [String((each as unknown as { value: unknown }).value)] : [],
  )
  if (word(callee, 'name') === '__name') return texts[0] ?? null
  const name = nameOf(callee)
  if (name === null) return null
  const route = texts.find((text) => text.startsWith('/'))
  return route === undefined ? `${name} callback` : `${name} ${route}`
}

function nameOf(node: Node | null): string | null {
  if (node?.type === 'MemberExpression') {
    const [owner, member] = [word(part(node, 'object'), 'name'), memberName(node)]
    return member === null
      ? owner
      : owner === null || /^(exports|module)$/.test(owner)
        ? member
        : `${owner}.${member}`
  }
  return word(node, 'name') ?? (node?.type === 'Literal' ? word(node, 'value') : null)
}

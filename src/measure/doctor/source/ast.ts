// Parts of syntax trees, of which the parser's types know little.

import type { Node } from 'acorn'

/** A node by the name of its field; null where there is none. */
export function part(node: Node | null | undefined, name: string): Node | null {
  const value = (node as unknown as Record<string, unknown> | null | undefined)?.[name]
  return typeof value === 'object' && value !== null && 'type' in value ? (value as Node) : null
}

export function parts(node: Node | null | undefined, name: string): Node[] {
  const value = (node as unknown as Record<string, unknown> | null | undefined)?.[name]
  return Array.isArray(value) ? (value as (Node | null)[]).filter((one) => one !== null) : []
}

/** Of a call; of a template with a tag the list of its texts, which is the template itself here, and its values. */
export function argumentsOf(node: Node): Node[] {
  const template = part(node, 'quasi')
  return template ? [template, ...parts(template, 'expressions')] : parts(node, 'arguments')
}

/** A text or a word by the name of its field, such as `name`, `kind` and `operator`. */
export function word(node: Node | null | undefined, name: string): string | null {
  const value = (node as unknown as Record<string, unknown> | null | undefined)?.[name]
  return typeof value === 'string' ? value : null
}

export function flag(node: Node, name: string): boolean {
  return (node as unknown as Record<string, unknown>)[name] === true
}

/** `cache.a.b` and `cache().a` begin with `cache`. */
export function rootOf(node: Node | null): Node | null {
  if (node?.type === 'MemberExpression') return rootOf(part(node, 'object'))
  if (node?.type === 'ChainExpression') return rootOf(part(node, 'expression'))
  return node
}

/** Of `cache.set` it is "set"; null where it is computed. */
export function memberName(node: Node | null): string | null {
  if (node?.type !== 'MemberExpression' || flag(node, 'computed')) return null
  return word(part(node, 'property'), 'name')
}

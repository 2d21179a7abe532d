// What the agent is told of a function that it is to watch.

import type { Node } from 'acorn'
import type { WatchedFunction } from './agent/messages.js'
import type { AppFunction } from './find-functions.js'
import { flag, part, parts, word } from './source/ast.js'
import { freeReferences } from './source/free-names.js'

export function watchedFunction({ script, found }: AppFunction): WatchedFunction {
  const { node } = found!
  const parsed = script.parsed!
  const isArrow = node.type === 'ArrowFunctionExpression'
  const names = freeReferences(parsed, node).map(({ identifier }) => identifier.name)
  return {
    url: script.url,
    isAsync: node.async,
    // Without braces it returns behind its last letter, which may be a bracket around its body, and V8 takes an end that does not count itself.
    start: parsed.placeOf(node.body.start),
    end: parsed.placeOf(node.end + 1),
    given: isArrow ? `[${node.params.map((each) => valueOf(parsed.text, each)).join()}]` : 'arguments',
    text: parsed.text.slice(node.start, node.end),
    names: [...new Set(names)],
  }
}

/** What the parameter of an arrow function was given, as far as it takes it. */
function valueOf(text: string, node: Node | null): string {
  switch (node?.type) {
    case 'AssignmentPattern':
      return valueOf(text, part(node, 'left'))
    case 'RestElement':
      return `...${valueOf(text, part(node, 'argument'))}`
    case 'ObjectPattern':
      return `({ ${parts(node, 'properties')
        .map((each) => propertyOf(text, each))
        .join()} })`
    case 'ArrayPattern':
      return `[${(node as unknown as { elements: (Node | null)[] }).elements.map((each) => (each ? valueOf(text, each) : '')).join()}]`
    default:
      return word(node, 'name') ?? 'undefined'
  }
}

function propertyOf(text: string, property: Node): string {
  if (property.type === 'RestElement') return valueOf(text, property)
  const key = part(property, 'key')!
  const name = text.slice(key.start, key.end)
  return `${flag(property, 'computed') ? `[${name}]` : name}: ${valueOf(text, part(property, 'value'))}`
}

// Parameters that a function takes apart before its first line.

import type { Node } from 'acorn'
import { part } from './ast.js'
import type { FunctionNode } from './script-functions.js'

/** Parameters of an arrow function of which only parts can be seen: it has no `arguments`, and takes them apart before its first line. */
export function takenApart({ params, type }: Pick<FunctionNode, 'params' | 'type'>): number[] {
  if (type !== 'ArrowFunctionExpression') return []
  const isPattern = (node: Node | null) => /^(Object|Array)Pattern$/.test(node?.type ?? '')
  return params.flatMap((each, index) => (isPattern(each) || isPattern(part(each, 'left')) ? [index] : []))
}

// What a file does to a variable of its own when it is loaded, after it has made it: it fills a table, or sets up an object of a package.

import type { Node } from 'acorn'
import type { Variable } from 'eslint-scope'
import { part, parts, rootOf } from './ast.js'
import { isChangedAt, isWithinFunction, mayChange } from './constants.js'
import { parentOf } from './parents.js'
import type { ParsedScript } from './script-functions.js'

/** Statements of the top level, in their order. */
export function setUpOf(script: ParsedScript, variable: Variable): Node[] {
  const uses = variable.references
    .filter(({ init }) => !init)
    .map(({ identifier }) => identifier as unknown as Node)
    .filter((use) => !isWithinFunction(script, use))
  return script.body.filter(
    (statement) =>
      isStatement(statement) && uses.some((use) => isWithin(use, statement) && isSetUp(script, use)),
  )
}

/** Whether it begins empty, and is filled when its file is loaded. */
export function isFilledAtStart(script: ParsedScript, variable: Variable): boolean {
  return setUpOf(script, variable).length > 0
}

function isStatement({ type }: Node): boolean {
  return /^(Expression|For|ForOf|ForIn|While|If|Block)Statement$/.test(type)
}

function isWithin(node: Node, outer: Node): boolean {
  return node.start >= outer.start && node.end <= outer.end
}

/** It is changed there, a method of it is called as a statement, or it is given to a function of the language that fills it. */
function isSetUp(script: ParsedScript, use: Node): boolean {
  if (isChangedAt(script, use)) return true
  let node: Node | null = use
  while (node && node.type !== 'ExpressionStatement') node = parentOf(script, node)
  const call = part(node, 'expression')
  if (call?.type !== 'CallExpression') return false
  if (rootOf(part(call, 'callee')) === use) return true
  return parts(call, 'arguments').some((each) => rootOf(each) === use && mayChange(call, each))
}

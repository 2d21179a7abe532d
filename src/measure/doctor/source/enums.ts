// Enums, as compilers of TypeScript write them: a variable that a function fills with constants when the file is loaded.

import type { Node } from 'acorn'
import type { Variable } from 'eslint-scope'
import { part, parts, word } from './ast.js'
import { isFunction, type ParsedScript } from './script-functions.js'

/** `((Kind) => { Kind["A"] = "a"; return Kind })(Kind || {})`, with literals alone. */
export function isEnumCall(node: Node | null): boolean {
  const callee = part(node, 'callee')
  if (node?.type !== 'CallExpression' || !callee || !isFunction(callee)) return false
  const [parameter] = callee.params
  const name = word(parameter, 'name')
  const statements = parts(callee.body, 'body')
  return (
    callee.params.length === 1 && statements.length > 0 && statements.every((each) => isFilling(each, name))
  )
}

function isFilling(statement: Node, name: string | null): boolean {
  if (statement.type === 'ReturnStatement') return word(part(statement, 'argument'), 'name') === name
  return isMember(part(statement, 'expression'), name)
}

/** `Kind[Kind["A"] = 0] = "A"` */
function isMember(node: Node | null, name: string | null): boolean {
  const left = part(node, 'left')
  if (node?.type !== 'AssignmentExpression' || word(part(left, 'object'), 'name') !== name) return false
  const key = part(left, 'property')
  return isPlain(part(node, 'right')) && (key?.type !== 'AssignmentExpression' || isMember(key, name))
}

function isPlain(node: Node | null): boolean {
  return node?.type === 'Literal' || (node?.type === 'UnaryExpression' && isPlain(part(node, 'argument')))
}

/** `var Kind; (function (Kind) { ... })(Kind || (Kind = {}))`: the call; null: the variable is no such enum. */
export function enumCallOf(script: ParsedScript, variable: Variable): Node | null {
  const calls = script.body.map((statement) => part(statement, 'expression'))
  const call = calls.find(
    (each) => isEnumCall(each) && word(part(parts(each, 'arguments')[0], 'left'), 'name') === variable.name,
  )
  if (!call) return null
  const isWrittenElsewhere = variable.references.some((reference) => {
    const { start } = reference.identifier as unknown as Node
    return reference.isWrite() && !(start >= call.start && start < call.end)
  })
  return isWrittenElsewhere ? null : call
}

// Which variables of files hold an object, and so may hold another thing after a call.

import type { Node } from 'acorn'
import { part, rootOf } from '../source/ast.js'
import type { HomeVariable } from './definitions.js'
import { variableOf } from '../source/free-names.js'
import { importOf, type FindScript } from '../source/imports.js'
import { isFunction } from '../source/script-functions.js'

/** `whole`: a package has made it, and what its methods give need not be what it keeps. */
export type KeptAs = 'all' | 'whole' | null

const PLAIN = /^(Literal|TemplateLiteral|BinaryExpression|UnaryExpression|UpdateExpression)$/

export function keptAs({ script, variable }: HomeVariable, findScript: FindScript): KeptAs {
  const [definition] = variable.defs
  if (!definition) return null
  if (/^(FunctionName|ClassName|ImportBinding)$/.test(definition.type)) return 'all' // of what is imported that of a file of JSON
  const init = part(definition.node as unknown as Node, 'init')
  if (definition.type !== 'Variable' || init === null) return definition.type === 'Variable' ? 'all' : null
  if (PLAIN.test(init.type)) return init.type === 'Literal' && 'regex' in init ? 'all' : null
  if (isFunction(init)) return 'all'
  return isOfPackage(script, init, findScript) ? 'whole' : 'all'
}

function isOfPackage(script: HomeVariable['script'], init: Node, findScript: FindScript): boolean {
  const callee = part(init, 'callee') ?? part(init, 'tag')
  if (callee === null) return false
  let root = rootOf(callee)
  while (root?.type === 'CallExpression' || root?.type === 'NewExpression')
    root = rootOf(part(root, 'callee'))
  const variable = root?.type === 'Identifier' ? variableOf(script, root) : null
  const [definition] = variable?.defs ?? []
  const imported = definition && importOf(definition, variable!)
  if (imported) return findScript(script, imported.module) === null
  const made = definition?.type === 'Variable' ? part(definition.node as unknown as Node, 'init') : null
  return made !== null && made !== init && isOfPackage(script, made, findScript)
}

/** A regular expression that remembers where it was. */
export function isSticky(node: Node | null): boolean {
  const regex = (node as unknown as { regex?: { flags: string } } | null)?.regex
  return regex !== undefined && /[gy]/.test(regex.flags)
}

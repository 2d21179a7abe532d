// The class that TypeScript says an object is of: by the type of a parameter, of a field, or of a parameter of the constructor that becomes one.

import type { Node } from 'acorn'
import { homeOf } from '../effects/definitions.js'
import { memberName, part, parts, word } from '../source/ast.js'
import { topVariable, variableOf } from '../source/free-names.js'
import { parentOf } from '../source/parents.js'
import type { ParsedScript } from '../source/script-functions.js'
import type { AppFiles } from './app-files.js'

/** Null: nothing says it, or it is no class of the app. */
export function declaredClass(app: AppFiles, script: ParsedScript, object: Node | null): Node | null {
  const typed = object?.type === 'Identifier' ? parameterOf(script, object) : fieldOf(script, object)
  const reference = part(part(typed, 'typeAnnotation'), 'typeAnnotation')
  const name = reference?.type === 'TSTypeReference' ? word(part(reference, 'typeName'), 'name') : null
  const variable = name === null ? null : topVariable(script, name)
  const [definition] = homeOf(script, variable, app.find)?.variable.defs ?? []
  return definition?.type === 'ClassName' ? (definition.node as unknown as Node) : null
}

export function classAround(script: ParsedScript, node: Node): Node | null {
  let around: Node | null = node
  while (around && !/^Class(Declaration|Expression)$/.test(around.type)) around = parentOf(script, around)
  return around
}

function parameterOf(script: ParsedScript, object: Node): Node | null {
  const [definition] = variableOf(script, object)?.defs ?? []
  return definition ? (definition.name as unknown as Node) : null
}

/** Of `this.name`. */
function fieldOf(script: ParsedScript, object: Node | null): Node | null {
  const name = memberName(object)
  if (name === null || part(object, 'object')?.type !== 'ThisExpression') return null
  const members = parts(part(classAround(script, object!), 'body'), 'body')
  const field = members.find(
    (each) => each.type === 'PropertyDefinition' && word(part(each, 'key'), 'name') === name,
  )
  if (field) return field
  const made = members.find((each) => word(each, 'kind') === 'constructor')
  const given = parts(part(made, 'value'), 'params').map((each) => part(each, 'parameter'))
  return given.find((each) => word(each, 'name') === name) ?? null
}

// Files that do nothing when they are loaded but declare: a worker may load them as they are.

import { isBuiltin } from 'node:module'
import type { Node } from 'acorn'
import { memberName, part, parts, word } from './ast.js'
import { isConstant } from './constants.js'
import { required, type FindScript } from './imports.js'
import { isReadValue } from './read-value.js'
import { isFunction, type ParsedScript } from './script-functions.js'

/** Its imports included; packages but ours are not known to be so. */
export function isHarmless(
  script: ParsedScript,
  findScript: FindScript,
  seen = new Set<ParsedScript>(),
): boolean {
  if (seen.has(script)) return true
  seen.add(script)
  const loads = (module: string): boolean => {
    if (isBuiltin(module) || /^threadwise(\/task)?$/.test(module)) return true
    const other = findScript(script, module)
    return other !== null && isHarmless(other, findScript, seen)
  }
  return (script.program.body as Node[]).every((statement) => isDeclaring(statement, { script, loads }))
}

interface Loading {
  readonly script: ParsedScript
  readonly loads: (module: string) => boolean
}

function isDeclaring(statement: Node, loading: Loading): boolean {
  const source = part(statement, 'source') as unknown as { value?: unknown } | null
  const isType = [word(statement, 'importKind'), word(statement, 'exportKind')].includes('type')
  if (isType || /^TS(Interface|TypeAlias|Enum|Declare)/.test(statement.type)) return true
  if (source) return loading.loads(String(source.value))
  switch (statement.type) {
    case 'FunctionDeclaration':
    case 'EmptyStatement':
      return true
    case 'ClassDeclaration':
      return isPlainClass(statement)
    case 'ExportNamedDeclaration':
    case 'ExportDefaultDeclaration':
      return part(statement, 'declaration') === null || isDeclaring(part(statement, 'declaration')!, loading)
    case 'VariableDeclaration':
      return parts(statement, 'declarations').every((each) => isPlainValue(part(each, 'init'), loading))
    case 'ExpressionStatement':
      return isExport(part(statement, 'expression')!, loading)
    default:
      return isPlainValue(statement, loading) // export default of an expression
  }
}

/** `exports.a = ...`, a directive, and registerClass. */
function isExport(expression: Node, loading: Loading): boolean {
  if (expression.type === 'Literal' || isRegistering(expression)) return true
  const left = expression.type === 'AssignmentExpression' ? part(expression, 'left') : null
  const isOfExports = [
    memberName(left),
    memberName(part(left, 'object')),
    word(part(left, 'object'), 'name'),
  ].includes('exports')
  return isOfExports && isPlainValue(part(expression, 'right'), loading)
}

function isPlainValue(value: Node | null, loading: Loading): boolean {
  const { script, loads } = loading
  if (/^TS(As|Satisfies|NonNull)Expression$/.test(value?.type ?? ''))
    return isPlainValue(part(value, 'expression'), loading)
  if (value === null || isFunction(value) || value.type === 'Identifier') return true
  if (/^Class/.test(value.type)) return isPlainClass(value)
  const module = required(value)
  if (module !== null) return loads(module)
  if (value.type === 'ObjectExpression')
    return parts(value, 'properties').every(
      (each) => each.type === 'Property' && isPlainValue(part(each, 'value'), loading),
    )
  return isConstant(value) || isReadValue(script, value)
}

function isPlainClass(node: Node): boolean {
  return parts(part(node, 'body'), 'body').every(
    (each) =>
      each.type !== 'StaticBlock' ||
      parts(each, 'body').every((inner) => isRegistering(part(inner, 'expression'))),
  )
}

/** `registerClass(Money)`, of threadwise. */
export function isRegistering(expression: Node | null): boolean {
  return expression?.type === 'CallExpression' && word(part(expression, 'callee'), 'name') === 'registerClass'
}

// Files that do nothing when they are loaded but declare: a worker may load them as they are.

import { isBuiltin } from 'node:module'
import type { Node } from 'acorn'
import { memberName, part, parts, word } from '../source/ast.js'
import { isConstant } from '../source/constants.js'
import { required, type FindScript } from '../source/imports.js'
import { childrenOf, isFunction, type ParsedScript } from '../source/script-functions.js'

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
  return (script.program.body as Node[]).every((statement) => isDeclaring(statement, loads))
}

type Loads = (module: string) => boolean

function isDeclaring(statement: Node, loads: Loads): boolean {
  const source = part(statement, 'source') as unknown as { value?: unknown } | null
  const isType = [word(statement, 'importKind'), word(statement, 'exportKind')].includes('type')
  if (isType || /^TS(Interface|TypeAlias|Enum|Declare)/.test(statement.type)) return true
  if (source) return loads(String(source.value))
  switch (statement.type) {
    case 'FunctionDeclaration':
    case 'EmptyStatement':
      return true
    case 'ClassDeclaration':
      return isPlainClass(statement)
    case 'ExportNamedDeclaration':
    case 'ExportDefaultDeclaration':
      return part(statement, 'declaration') === null || isDeclaring(part(statement, 'declaration')!, loads)
    case 'VariableDeclaration':
      return parts(statement, 'declarations').every((each) => isPlainValue(part(each, 'init'), loads))
    case 'ExpressionStatement':
      return isExport(part(statement, 'expression')!, loads)
    default:
      return isPlainValue(statement, loads) // export default of an expression
  }
}

/** `exports.a = ...`, a directive, and registerClass. */
function isExport(expression: Node, loads: Loads): boolean {
  if (expression.type === 'Literal' || isRegistering(expression)) return true
  const left = expression.type === 'AssignmentExpression' ? part(expression, 'left') : null
  const isOfExports = [memberName(left), memberName(part(left, 'object')), word(part(left, 'object'), 'name')].includes('exports') // prettier-ignore
  return isOfExports && isPlainValue(part(expression, 'right'), loads)
}

function isPlainValue(value: Node | null, loads: Loads): boolean {
  if (/^TS(As|Satisfies|NonNull)Expression$/.test(value?.type ?? '')) return isPlainValue(part(value, 'expression'), loads) // prettier-ignore
  if (value === null || isFunction(value) || value.type === 'Identifier') return true
  if (/^Class/.test(value.type)) return isPlainClass(value)
  const module = required(value)
  if (module !== null) return loads(module)
  if (value.type === 'ObjectExpression') return parts(value, 'properties').every((each) => each.type === 'Property' && isPlainValue(part(each, 'value'), loads)) // prettier-ignore
  return isConstant(value) || isRead(value)
}

/** Functions that read a file, and what is made of its text. */
const READING =
  /^(readFileSync|readdirSync|existsSync|statSync|join|resolve|dirname|basename|fileURLToPath|Number|String|Boolean)$/
const OF_TEXT = /^(split|trim\w*|toString|slice|filter|map|flatMap|sort|toSorted|reverse|replace|replaceAll|match|matchAll|startsWith|endsWith|includes|to(Lower|Upper)Case|entries|fromEntries|keys|values|from|parse|freeze)$/ // prettier-ignore

/** `JSON.parse(readFileSync(join(__dirname, 'prices.json')))`: it comes to the same wherever the file is loaded, as long as what it reads is the same. */
function isRead(node: Node | null): boolean {
  if (node === null) return true
  const callee = part(node, 'callee')
  const name = callee?.type === 'Identifier' ? word(callee, 'name') : memberName(callee)
  switch (node.type) {
    case 'Identifier':
    case 'Literal':
    case 'TemplateElement':
    case 'MetaProperty':
      return true
    case 'CallExpression':
      return (callee?.type === 'MemberExpression' && OF_TEXT.test(name ?? '')) || READING.test(name ?? '') ? childrenOf(node).every(isRead) : false // prettier-ignore
    case 'NewExpression':
      return /^(URL|Map|Set)$/.test(name ?? '') && childrenOf(node).every(isRead)
    case 'ArrowFunctionExpression':
    case 'MemberExpression':
    case 'TemplateLiteral':
    case 'ArrayExpression':
    case 'ObjectExpression':
    case 'Property':
    case 'SpreadElement':
    case 'UnaryExpression':
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'ConditionalExpression':
    case 'ChainExpression':
    case 'ArrayPattern':
    case 'ObjectPattern':
      return word(node, 'operator') !== 'delete' && childrenOf(node).every(isRead)
    default:
      return false
  }
}

function isPlainClass(node: Node): boolean {
  return parts(part(node, 'body'), 'body').every((each) => each.type !== 'StaticBlock' || parts(each, 'body').every((inner) => isRegistering(part(inner, 'expression')))) // prettier-ignore
}

/** `registerClass(Money)`, of threadwise. */
export function isRegistering(expression: Node | null): boolean {
  return expression?.type === 'CallExpression' && word(part(expression, 'callee'), 'name') === 'registerClass'
}

// What a file imports and exports, as ES modules and as CommonJS.

import type { Node } from 'acorn'
import type { Definition, Variable } from 'eslint-scope'
import { memberName, part, parts, rootOf, word } from './ast.js'
import { enumCallOf } from './enums.js'
import { topVariable } from './free-names.js'
import type { ParsedScript } from './script-functions.js'

/** A file of the user by the path that another one imports it by. */
export interface FindScript {
  (from: ParsedScript, specifier: string): ParsedScript | null
  /** All that were loaded. */
  readonly all?: () => readonly ParsedScript[]
  /** The path that is shown. */
  readonly fileOf?: (script: ParsedScript) => string
}

/** Whether an import is of a file, and not of a package. */
export function isOfUser(module: string): boolean {
  return /^(\.|\/|file:)/.test(module)
}

export interface Imported {
  module: string
  /** `*`: the whole module. */
  exported: string
}

/** Null: the variable is none of another file. */
export function importOf(definition: Definition, variable: Variable): Imported | null {
  const node = definition.node as unknown as Node
  if (definition.type === 'ImportBinding') {
    const module = valueOf(part(definition.parent as unknown as Node, 'source'))
    return { module, exported: exportedBy(node) }
  }
  const module = required(part(node, 'init'))
  if (module === null) return null
  const id = part(node, 'id')
  if (id?.type === 'Identifier') return { module, exported: '*' }
  const property = parts(id, 'properties').find((each) => word(part(each, 'value'), 'name') === variable.name)
  return { module, exported: word(part(property, 'key'), 'name') ?? '' }
}

function exportedBy(node: Node): string {
  if (node.type === 'ImportNamespaceSpecifier') return '*'
  if (node.type === 'ImportDefaultSpecifier') return 'default'
  return word(part(node, 'imported'), 'name') ?? ''
}

/** What compilers put around `require`, so that a module looks like an ES module. */
const INTEROP = /^(__importDefault|__importStar|__toESM|_interop\w+)$/

/** The module of `require('...')`; null: it is none. */
export function required(init: Node | null): string | null {
  if (init?.type !== 'CallExpression') return null
  const name = word(part(init, 'callee'), 'name') ?? ''
  const [given] = parts(init, 'arguments')
  if (INTEROP.test(name)) return required(given ?? null)
  return name === 'require' ? valueOf(given ?? null) : null
}

function valueOf(node: Node | null): string {
  return String((node as unknown as { value?: unknown } | null)?.value ?? '')
}

export interface Exported {
  node: Node
  /** Null: it is written in place. */
  variable: Variable | null
}

/** Null: there is no such export, or it is made in a way that is not followed. */
export function exportedNode(script: ParsedScript, name: string): Exported | null {
  for (const statement of script.body) {
    const found = ofStatement(script, statement, name)
    if (found) return found
  }
  const variable = topVariable(script, name)
  const call = variable && enumCallOf(script, variable) // `exports.Kind = Kind = {}` is within it
  return call && { node: call, variable }
}

function ofStatement(script: ParsedScript, statement: Node, name: string): Exported | null {
  const named = (local: string | null): Exported | null => {
    const variable = local === null ? null : topVariable(script, local)
    return variable && { variable, node: statement }
  }
  const declaration = part(statement, 'declaration')
  if (statement.type === 'ExportDefaultDeclaration' && name === 'default')
    return word(part(declaration, 'id') ?? declaration, 'name') === null
      ? { node: declaration!, variable: null }
      : named(word(part(declaration, 'id') ?? declaration, 'name'))
  if (statement.type === 'ExportNamedDeclaration' && part(statement, 'source') === null) {
    const names = [
      part(declaration, 'id'),
      ...parts(declaration, 'declarations').map((each) => part(each, 'id')),
    ]
    if (names.some((id) => word(id, 'name') === name)) return named(name)
    const specifier = parts(statement, 'specifiers').find(
      (each) => word(part(each, 'exported'), 'name') === name,
    )
    return specifier ? named(word(part(specifier, 'local'), 'name')) : null
  }
  const expression = part(statement, 'expression')
  return ofExportCall(expression, name, named) ?? ofAssignment(expression, name, named)
}

/** `module.exports = { name }`, `module.exports.name = ...` and `exports.name = ...` */
function ofAssignment(
  node: Node | null,
  name: string,
  named: (local: string | null) => Exported | null,
): Exported | null {
  if (node?.type !== 'AssignmentExpression') return null
  const left = part(node, 'left')
  const right = part(node, 'right')!
  if (right.type === 'AssignmentExpression') {
    const inner = ofAssignment(right, name, named) // exports = module.exports = ...
    if (inner) return inner
  }
  const isAll = memberName(left) === 'exports' && word(part(left, 'object'), 'name') === 'module'
  const valueOf = (value: Node) =>
    value.type === 'Identifier' ? named(word(value, 'name')) : { node: value, variable: null }
  if (isAll && right.type === 'ObjectExpression') {
    const property = parts(right, 'properties').find((each) => word(part(each, 'key'), 'name') === name)
    return property ? valueOf(part(property, 'value')!) : null
  }
  if (isAll && name === 'default') return required(rootOf(right)) === null ? valueOf(right) : null
  return isExportsMember(left, name) && !isNoValue(right) ? valueOf(right) : null
}

/** `exports.name`, or that of `module.exports`. */
export function isExportsMember(node: Node | null, name: string): boolean {
  const object = part(node, 'object')
  return memberName(node) === name && (word(object, 'name') === 'exports' || memberName(object) === 'exports')
}

/** TypeScript begins with `exports.a = exports.b = void 0`; and what another file has is found elsewhere. */
function isNoValue(node: Node): boolean {
  if (node.type === 'AssignmentExpression') return isNoValue(part(node, 'right')!)
  return word(node, 'operator') === 'void' || required(rootOf(node)) !== null
}

/** esbuild: `__export(all, { name: () => local })`. */
function ofExportCall(
  node: Node | null,
  name: string,
  named: (local: string | null) => Exported | null,
): Exported | null {
  if (node?.type !== 'CallExpression' || word(part(node, 'callee'), 'name') !== '__export') return null
  const properties = parts(parts(node, 'arguments')[1], 'properties')
  const property = properties.find((each) => word(part(each, 'key'), 'name') === name)
  return named(word(part(part(property, 'value'), 'body'), 'name'))
}

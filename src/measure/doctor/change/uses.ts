// Where a function is used in the sources of an app: by its name, through imports, as a member of a module, of an object or of an instance.

import type { Node } from 'acorn'
import type { Variable } from 'eslint-scope'
import { memberName, part, parts, word } from '../source/ast.js'
import { functionsOf, homeOf, moduleOf } from '../effects/definitions.js'
import { declaredBy, isOfFile, referencesTo, topVariables } from '../source/free-names.js'
import { importOf, isExportsMember, required } from '../source/imports.js'
import { findExport } from '../source/re-exports.js'
import { parentOf } from '../source/parents.js'
import { nodesOf, type FunctionNode, type ParsedScript } from '../source/script-functions.js'
import type { AppFiles } from './app-files.js'
import { classAround, declaredClass } from './declared-class.js'
import { Refused } from './refused.js'

export interface UsedFunction {
  readonly name: string
  readonly script: ParsedScript
  readonly node: FunctionNode
}

export interface Use {
  readonly script: ParsedScript
  /** The name, or the member, that stands for the function. */
  readonly node: Node
}

/** Without its exports. @throws Refused where somebody gets it in a way that is not followed */
export function usesOf(app: AppFiles, used: UsedFunction, scripts = app.scripts): Use[] {
  const variable = ownVariable(used)
  if (isMethod(used)) return methodUses(app, used, scripts)
  const own = variable === null ? [] : namesOf(used.script, variable)
  const uses = own.map((node) => ({ script: used.script, node })).filter((use) => !isExport(use))
  if (variable !== null && !isOfFile(used.script, variable)) return uses
  const exported = exportedNames(app, used, variable)
  if (exported.size === 0) return uses
  for (const script of scripts) {
    if (script === used.script) uses.push(...ownMembers(script, exported))
    else uses.push(...importedUses(app, { ...used, variable, exported }, script))
  }
  return uses
}

/** The variable that holds it; null: it has none. */
export function ownVariable({ script, node }: UsedFunction): Variable | null {
  if (node.type === 'FunctionDeclaration') return declaredBy(script, node)[0] ?? null
  const parent = parentOf(script, node)
  if (parent?.type !== 'VariableDeclarator' || part(parent, 'init') !== (node as Node)) return null
  return declaredBy(script, parent)[0] ?? null
}

export function isMethod({ script, node }: UsedFunction): boolean {
  const isHeld = /^(MethodDefinition|PropertyDefinition|Property)$/.test(parentOf(script, node)?.type ?? '')
  return isHeld && !isExport({ script, node })
}

function namesOf(script: ParsedScript, variable: Variable): Node[] {
  return referencesTo(script, variable).flatMap((each) =>
    each.init ? [] : [each.identifier as unknown as Node],
  )
}

/** `export { name }`, `exports.name = name`, `module.exports = { name }`. */
export function isExport({ script, node }: Use): boolean {
  const parent = parentOf(script, node)
  if (/^Export/.test(parent?.type ?? '')) return true
  const held = parent?.type === 'Property' && part(parent, 'value') === node ? parentOf(script, parent) : node
  const assignment = held && parentOf(script, held)
  if (assignment?.type !== 'AssignmentExpression' || part(assignment, 'right') !== held) return false
  const left = part(assignment, 'left')
  const isAll = memberName(left) === 'exports' && word(part(left, 'object'), 'name') === 'module'
  return isAll || isExportsMember(left, memberName(left) ?? '')
}

/** By which its file gives it to others. */
function exportedNames(app: AppFiles, used: UsedFunction, variable: Variable | null): Set<string> {
  const { script, node } = used
  const candidates = new Set<string>(['default'])
  for (const each of nodesOf(script)) {
    const name = nameExportedBy(each)
    if (name !== null) candidates.add(name)
  }
  const isIts = (name: string) => {
    const found = findExport(script, name, app.find)
    return (
      found?.script === script &&
      (found.node === (node as Node) || (variable !== null && found.variable === variable))
    )
  }
  return new Set([...candidates].filter(isIts))
}

function nameExportedBy(node: Node): string | null {
  switch (node.type) {
    case 'ExportSpecifier':
      return word(part(node, 'exported'), 'name')
    case 'Property':
      return word(part(node, 'key'), 'name')
    case 'FunctionDeclaration':
    case 'VariableDeclarator':
      return word(part(node, 'id'), 'name')
    case 'MemberExpression':
      return memberName(node)
    default:
      return null
  }
}

/** `exports.name(...)` in the file itself. */
function ownMembers(script: ParsedScript, exported: ReadonlySet<string>): Use[] {
  return nodesOf(script).flatMap((node) => {
    const name = memberName(node)
    const parent = parentOf(script, node)
    const isSet = parent?.type === 'AssignmentExpression' && part(parent, 'left') === node
    return name !== null && exported.has(name) && !isSet && isExportsMember(node, name)
      ? [{ script, node }]
      : []
  })
}

interface Exported extends UsedFunction {
  readonly variable: Variable | null
  readonly exported: ReadonlySet<string>
}

function importedUses(app: AppFiles, used: Exported, script: ParsedScript): Use[] {
  const isIts = (other: ParsedScript, name: string) => {
    const found = findExport(other, name, app.find)
    return (
      found?.script === used.script &&
      (found.node === (used.node as Node) || (used.variable !== null && found.variable === used.variable))
    )
  }
  const has = (other: ParsedScript | null): other is ParsedScript =>
    other !== null && (other === used.script || [...used.exported].some((name) => isIts(other, name)))
  checkLoads(app, { used, script, has })
  return topVariables(script).flatMap((variable): Use[] => {
    const [definition] = variable.defs
    const imported = definition && importOf(definition, variable)
    const other = imported ? app.find(script, imported.module) : null
    if (!imported || !has(other)) return []
    const nodes = namesOf(script, variable).filter((node) => !isExport({ script, node }))
    if (
      homeOf(script, variable, app.find)?.variable === used.variable &&
      used.variable !== null &&
      imported.exported !== '*'
    )
      return nodes.map((node) => ({ script, node }))
    if (imported.exported !== '*' && isIts(other, imported.exported))
      return nodes.map((node) => ({ script, node }))
    if (imported.exported === '*' && !other.isModule && isIts(other, 'default'))
      return nodes.map((node) => ({ script, node }))
    const whole = nodes.filter((node) => moduleOf(script, node, app.find) !== null)
    return whole.flatMap((node) => membersOf(app, { used, script, isIts }, node))
  })
}

interface Members {
  readonly used: UsedFunction
  readonly script: ParsedScript
  readonly isIts: (other: ParsedScript, name: string) => boolean
}

/** Of `report.render`, where `report` is the whole file. */
function membersOf(app: AppFiles, { used, script, isIts }: Members, node: Node): Use[] {
  const parent = parentOf(script, node)
  const name = parent && part(parent, 'object') === node ? memberName(parent) : null
  if (name === null)
    throw new Refused(`${used.name} is handed on with all that its file exports`, app.at(script, node))
  return isIts(moduleOf(script, node, app.find)!, name) ? [{ script, node: parent! }] : []
}

interface Loads {
  readonly used: UsedFunction
  readonly script: ParsedScript
  readonly has: (other: ParsedScript | null) => boolean
}

/** Ways of loading its file that are not followed. */
function checkLoads(app: AppFiles, { used, script, has }: Loads): void {
  for (const node of nodesOf(script)) {
    const module =
      node.type === 'ImportExpression'
        ? textOf(part(node, 'source'))
        : node.type === 'CallExpression'
          ? required(node)
          : null
    if (module === null || !has(app.find(script, module)) || isTopRequire(script, node)) continue
    throw new Refused(
      `the file of ${used.name} is loaded in a way that is not followed`,
      app.at(script, node),
    )
  }
}

/** `const { name } = require('...')` at the top of a file. */
function isTopRequire(script: ParsedScript, node: Node): boolean {
  const parent = parentOf(script, node)
  if (parent?.type === 'ExpressionStatement') return true
  const declaration = parent && parentOf(script, parent)
  if (parent?.type !== 'VariableDeclarator' || !script.body.includes(declaration!)) return false
  const id = part(parent, 'id')
  if (id?.type === 'Identifier') return true
  return parts(id, 'properties').every(
    (each) => each.type === 'Property' && part(each, 'value')?.type === 'Identifier',
  )
}

function textOf(node: Node | null): string | null {
  return node?.type === 'Literal' ? word(node, 'value') : null
}

/** All members of its name have to be known, since an object may come from anywhere. */
function methodUses(app: AppFiles, used: UsedFunction, scripts: readonly ParsedScript[]): Use[] {
  const key = part(parentOf(used.script, used.node), 'key')
  const name = word(key, 'name')
  if (name === null) throw new Refused(`${used.name} has a computed name`, app.at(used.script, used.node))
  const found: Use[] = []
  for (const script of scripts)
    for (const node of nodesOf(script)) {
      if (memberName(node) !== name) continue
      const own = isOwnMember(app, used, { script, node })
      if (own === true) found.push({ script, node })
      else if (own === null && !isOfPackage(script, part(node, 'object')))
        throw new Refused(`${name} is called of something that may be its object`, app.at(script, node))
    }
  return found
}

/** Null: nothing tells. */
function isOwnMember(app: AppFiles, used: UsedFunction, { script, node }: Use): boolean | null {
  const functions = functionsOf(script, node, app.find)
  if (functions.some((each) => each.node === used.node)) return true
  // An object of a class below has a method of its own.
  if (functions.length > 0) return part(node, 'object')?.type === 'ThisExpression' ? null : false
  const declared = declaredClass(app, script, part(node, 'object'))
  return declared === null ? null : declared === classAround(used.script, used.node)
}

/** Such as `res` and `reply`, which handlers are given, and what a package exports. */
function isOfPackage(script: ParsedScript, object: Node | null): boolean {
  if (object?.type !== 'Identifier') return false
  const name = word(object, 'name')!
  if (/^(res|req|reply|response|request|ctx|c|console|JSON|Math|Object|Array|Promise)$/.test(name))
    return true
  const variable = topVariables(script).find((each) => each.name === name)
  const [definition] = variable?.defs ?? []
  const imported = definition && importOf(definition, variable!)
  return imported !== undefined && imported !== null && !/^[./]/.test(imported.module)
}

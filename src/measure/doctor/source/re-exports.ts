// What a file exports that it has from another one: barrels, in ES modules and as compilers write them for CommonJS.

import type { Node } from 'acorn'
import { memberName, part, parts, rootOf, word } from './ast.js'
import { topVariable } from './free-names.js'
import {
  exportedNode,
  importOf,
  isExportsMember,
  required,
  type Exported,
  type FindScript,
  type Imported,
} from './imports.js'
import type { ParsedScript } from './script-functions.js'

export interface FoundExport extends Exported {
  readonly script: ParsedScript
}

/** Where it is written, in this file or in those that it is from; null: it is not found. */
export function findExport(
  script: ParsedScript,
  name: string,
  findScript: FindScript,
  seen: ReadonlySet<ParsedScript> = new Set(),
): FoundExport | null {
  const found = exportedNode(script, name)
  if (found) return { ...found, script }
  if (seen.has(script)) return null // two files that pass on what the other one has
  const passed = passedOn(script, name, { findScript, seen: new Set([...seen, script]) })
  return passed && findExport(passed.script, passed.exported, findScript, new Set([...seen, script]))
}

export interface Passed {
  readonly script: ParsedScript
  /** Its name there. */
  readonly exported: string
}

interface Way {
  readonly findScript: FindScript
  readonly seen?: ReadonlySet<ParsedScript>
}

/** The file that the export is from, one step; null: there is none of the user. */
export function passedOn(
  script: ParsedScript,
  name: string,
  { findScript, seen = new Set() }: Way,
): Passed | null {
  for (const statement of script.body) {
    const from = sourceOf(script, statement, name)
    const other = from && from.module !== '' ? findScript(script, from.module) : null
    if (!from || !other || other === script) continue
    const isThere = from.exported !== '*' || findExport(other, name, findScript, seen) !== null
    if (isThere) return { script: other, exported: from.exported === '*' ? name : from.exported }
  }
  return null
}

/** `*`: all that the other file exports. */
function sourceOf(script: ParsedScript, statement: Node, name: string): Imported | null {
  const module = String((part(statement, 'source') as unknown as { value?: unknown } | null)?.value ?? '')
  if (statement.type === 'ExportAllDeclaration')
    return part(statement, 'exported') === null && name !== 'default' ? { module, exported: '*' } : null
  if (statement.type === 'ExportNamedDeclaration' && module !== '') {
    const specifier = parts(statement, 'specifiers').find(
      (each) => word(part(each, 'exported'), 'name') === name,
    )
    return specifier ? { module, exported: word(part(specifier, 'local'), 'name') ?? '' } : null
  }
  const expression = part(statement, 'expression')
  if (expression?.type === 'CallExpression') return ofCall(script, expression, name)
  return expression?.type === 'AssignmentExpression' ? ofAssignment(expression, name) : null
}

/** `__exportStar(require('./x'), exports)`, `__reExport(all, require('./x'))`, and getters that TypeScript and esbuild define. */
function ofCall(script: ParsedScript, call: Node, name: string): Imported | null {
  const callee = part(call, 'callee')
  const given = parts(call, 'arguments')
  if (/^__(exportStar|reExport)$/.test(memberName(callee) ?? word(callee, 'name') ?? '')) {
    const module = given.map(required).find((each) => each !== null)
    return module === undefined ? null : { module, exported: '*' }
  }
  if (word(callee, 'name') === '__export') {
    const property = parts(given[1], 'properties').find((each) => word(part(each, 'key'), 'name') === name)
    return ofMember(script, part(part(property, 'value'), 'body'))
  }
  const isIts =
    memberName(callee) === 'defineProperty' && (given[1] as { value?: unknown } | undefined)?.value === name
  const getter = isIts
    ? parts(given[2], 'properties').find((each) => word(part(each, 'key'), 'name') === 'get')
    : undefined
  const [statement] = parts(part(part(getter, 'value'), 'body'), 'body')
  return ofMember(script, part(statement, 'argument'))
}

/** `other_1.name`, of a variable that is a whole file. */
function ofMember(script: ParsedScript, value: Node | null): Imported | null {
  const variable = value && topVariable(script, word(part(value, 'object'), 'name') ?? '')
  const imported = variable?.defs[0] && importOf(variable.defs[0], variable)
  return imported ? { module: imported.module, exported: memberName(value) ?? '' } : null
}

/** `exports.name = require('./x').other` and `module.exports = require('./x')`. */
function ofAssignment(assignment: Node, name: string): Imported | null {
  const right = part(assignment, 'right')
  const module = required(rootOf(right))
  if (module === null) return null
  const exported = memberName(right)
  const left = part(assignment, 'left')
  if (isExportsMember(left, name)) return { module, exported: exported ?? 'default' }
  const isAll = memberName(left) === 'exports' && word(part(left, 'object'), 'name') === 'module'
  return isAll && exported === null ? { module, exported: name === 'default' ? 'default' : '*' } : null
}

// What a piece of TypeScript needs beside what runs: the types that it names, and enums, which are variables to TypeScript alone.

import type { Node } from 'acorn'
import { isBuiltin } from 'node:module'
import { flag, part, parts, word } from '../source/ast.js'
import { topVariable, undeclared } from '../source/free-names.js'
import { importOf, isOfUser, type FindScript } from '../source/imports.js'
import { childNodes, type ParsedScript } from '../source/script-functions.js'
import type { TakeMore } from './extract-module.js'

export interface TypeWays {
  readonly findScript: FindScript
  /** How a file is named in an import. */
  readonly specifierOf: (script: ParsedScript) => string
}

/** Types that a file exports are imported from there, which does nothing when it runs; others are taken along. */
export function takeTypes(script: ParsedScript, piece: Node, take: TakeMore, ways: TypeWays): void {
  for (const name of typeNamesIn(piece)) takeType(script, name, take, ways)
  for (const declaration of declarationsOf(script).values()) {
    const name = word(part(declaration.node, 'id'), 'name')!
    const isUsed = undeclared(script, name).some(({ start }) => start >= piece.start && start < piece.end)
    if (declaration.node.type === 'TSEnumDeclaration' && isUsed) take.piece(declaration.node)
  }
}

function takeType(
  script: ParsedScript,
  name: string,
  take: TakeMore,
  { findScript, specifierOf }: TypeWays,
): void {
  const variable = topVariable(script, name)
  const [definition] = variable?.defs ?? []
  const imported = definition && importOf(definition, variable!)
  if (imported) {
    const { module, exported } = imported
    const other = isBuiltin(module) ? null : findScript(script, module)
    if (other || !isOfUser(module))
      take.line({ exported, local: name, from: other ? specifierOf(other) : module, kind: 'type' })
    return
  }
  if (variable) return take.variable(variable)
  const declared = declarationsOf(script).get(name)
  if (declared?.isExported)
    take.line({ exported: name, local: name, from: specifierOf(script), kind: 'type' })
  else if (declared) take.piece(declared.node)
}

/** The first names of all types in it. Those of its own type parameters name nothing in the file. */
export function typeNamesIn(piece: Node): Set<string> {
  const names = new Set<string>()
  const visit = (node: Node) => {
    const named =
      node.type === 'TSTypeReference'
        ? part(node, 'typeName')
        : node.type === 'TSTypeQuery'
          ? part(node, 'exprName')
          : /^TS(ExpressionWithTypeArguments|InterfaceHeritage|ClassImplements)$/.test(node.type)
            ? part(node, 'expression')
            : null
    const first = firstOf(named)
    if (first !== null) names.add(first)
    for (const child of childNodes(node)) visit(child)
  }
  visit(piece)
  return names
}

/** `A` of `A.B.C`. */
function firstOf(node: Node | null): string | null {
  const outer = part(node, 'left') ?? part(node, 'object')
  return outer ? firstOf(outer) : word(node, 'name')
}

interface Declaration {
  readonly node: Node
  readonly isExported: boolean
}

const known = new WeakMap<ParsedScript, Map<string, Declaration>>()

/** Interfaces, names of types and enums of the top level, by their names. */
function declarationsOf(script: ParsedScript): Map<string, Declaration> {
  const before = known.get(script)
  if (before) return before
  const found = new Map<string, Declaration>()
  known.set(script, found)
  const exported = new Set(
    script.body.flatMap((each) => parts(each, 'specifiers').map((one) => word(part(one, 'local'), 'name'))),
  )
  for (const statement of script.body) {
    const node = part(statement, 'declaration') ?? statement
    const name = /^TS(Interface|TypeAlias|Enum|Module)Declaration$/.test(node.type)
      ? word(part(node, 'id'), 'name')
      : null
    const isExported = node !== statement || exported.has(name)
    if (name !== null && !flag(node, 'declare')) found.set(name, { node, isExported })
  }
  return found
}

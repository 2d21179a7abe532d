// The lines of the user that set up or changed what a function reaches: those that name the same part, or that call the same package.

import type { Node } from 'acorn'
import type { AppScript } from '../source/app-script.js'
import { memberName, part, parts, rootOf, word } from '../source/ast.js'
import { CHANGING } from '../source/constants.js'
import { variableOf } from '../source/free-names.js'
import { importOf } from '../source/imports.js'
import { childNodes, type ParsedScript } from '../source/script-functions.js'

export interface FoundSetUp {
  readonly script: ParsedScript
  readonly node: Node
  /** The statement of the top level that it is; null: a function does it. */
  readonly statement: Node | null
}

export interface Changed {
  readonly path: string
  /** Null: it is of the app, or of the language. */
  readonly owner: string | null
}

/** @param isOwn whether a node belongs to the function itself, whose calls are no set-up */
export function findSetUps(
  changed: Changed,
  scripts: readonly AppScript[],
  isOwn: (node: Node) => boolean,
): FoundSetUp[] {
  const found = scripts.flatMap(({ parsed }) =>
    parsed ? nodesOf(parsed).map((node) => ({ script: parsed, node })) : [],
  )
  const { path, owner } = changed
  const matches = (script: ParsedScript, node: Node) =>
    owner === null ? isChangeOf(node, path) : isCallInto(script, node, owner)
  return found
    .filter(({ script, node }) => !isOwn(node) && matches(script, node))
    .map(({ script, node }) => ({ script, node, statement: statementOf(script, node) }))
    .sort((a, b) => Number(b.statement !== null) - Number(a.statement !== null))
}

const known = new WeakMap<ParsedScript, Node[]>()

/** Assignments and calls. */
function nodesOf(script: ParsedScript): Node[] {
  let nodes = known.get(script)
  if (!nodes) {
    nodes = []
    const visit = (node: Node) => {
      if (/^(Assignment|Update|Call|New)Expression$/.test(node.type)) nodes!.push(node)
      for (const child of childNodes(node)) visit(child)
    }
    visit(script.program)
    known.set(script, nodes)
  }
  return nodes
}

function statementOf(script: ParsedScript, node: Node): Node | null {
  const statement = script.body.find(({ start, end }) => start <= node.start && node.end <= end)
  const expression = part(statement, 'expression')
  return statement && expression === node ? statement : null
}

/** An assignment to the same name, or a call that puts something into what holds it. */
function isChangeOf(node: Node, path: string): boolean {
  const names = [...path.matchAll(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu)]
    .map(([name]) => name)
    .filter((name) => name !== 'get')
  const [last, holder] = [names.at(-1), names.at(-2)]
  const target = part(node, 'left') ?? part(node, 'argument')
  if (target) return nameOf(target) === last && target.type === 'MemberExpression'
  const callee = part(node, 'callee')
  const given = parts(node, 'arguments')
  const isNamed = (each: Node | null | undefined) =>
    each != null && [last, holder].includes(nameOf(each) ?? '')
  const fills =
    /^(assign|defineProperty|defineProperties|merge|extend|defaults|set)$/.test(memberName(callee) ?? '') &&
    isNamed(given[0])
  return (
    fills ||
    (CHANGING.test(memberName(callee) ?? '') &&
      isNamed(part(callee, 'object')) &&
      !/^Object$/.test(word(rootOf(callee), 'name') ?? ''))
  )
}

function nameOf(node: Node): string | null {
  if (node.type === 'Identifier') return word(node, 'name')
  const property = part(node, 'property')
  return (
    memberName(node) ??
    (property?.type === 'Literal' ? String((property as unknown as { value: unknown }).value) : null)
  )
}

/** A call of the package, or an assignment to a part of it. */
function isCallInto(script: ParsedScript, node: Node, owner: string): boolean {
  const root = rootOf(part(node, 'callee') ?? part(node, 'left'))
  const variable = root?.type === 'Identifier' ? variableOf(script, root) : null
  const [definition] = variable?.defs ?? []
  const module = definition && importOf(definition, variable!)?.module
  return module === owner || module?.startsWith(`${owner}/`) === true
}

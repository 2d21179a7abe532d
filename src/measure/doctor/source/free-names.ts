// What a function uses that it does not declare: globals, variables of its file, variables of the functions around it.

import type { Node } from 'acorn'
import { analyze, type Reference, type Scope, type ScopeManager, type Variable } from 'eslint-scope'
import { word } from './ast.js'
import { parentOf } from './parents.js'
import { isFunction, type ParsedScript } from './script-functions.js'

const managers = new WeakMap<ParsedScript, ScopeManager>()

/** References that leave the function, or class. */
export function freeReferences(script: ParsedScript, node: Node): Reference[] {
  return scopesOf(script).acquire(node as never)?.through ?? []
}

/** The variable of a file's top level. */
export function topVariable(script: ParsedScript, name: string): Variable | null {
  return topScope(script)?.set.get(name) ?? null
}

/** All variables of a file's top level. */
export function topVariables(script: ParsedScript): readonly Variable[] {
  return topScope(script)?.variables ?? []
}

const innerNames = new WeakMap<ParsedScript, Map<unknown, Reference[]>>()

/** Where a variable of a file stands, also within the class, or the function, that it is, where its name is a variable of its own. */
export function referencesTo(script: ParsedScript, variable: Variable): Reference[] {
  const inner = innerNames.get(script) ?? innerReferences(script)
  innerNames.set(script, inner)
  const nodes = variable.defs.flatMap(({ node }) => [node as unknown, (node as { init?: unknown }).init])
  return [...variable.references, ...nodes.flatMap((node) => inner.get(node) ?? [])]
}

/** By the class or function. */
function innerReferences(script: ParsedScript): Map<unknown, Reference[]> {
  const inner = scopesOf(script).scopes.filter(({ type }) => /^(class|function-expression-name)$/.test(type))
  return new Map(
    inner.map(({ block, variables }) => [block, variables.flatMap(({ references }) => references)]),
  )
}

/** All references to names outside of functions: in the top level of a file, and in its blocks. */
export function topReferences(script: ParsedScript): Reference[] {
  const collect = (scope: Scope): Reference[] => [
    ...scope.references,
    ...scope.childScopes.filter(({ type }) => !/function|class/.test(type)).flatMap(collect),
  ]
  const top = topScope(script)
  return top ? collect(top) : []
}

/** Whether it belongs to the file, and not to a function within. */
export function isOfFile(script: ParsedScript, variable: Variable): boolean {
  return variable.scope === topScope(script)
}

/** Where a file uses a name that nobody declares, such as `exports`. */
export function undeclared(script: ParsedScript, name: string): Node[] {
  const { globalScope } = scopesOf(script)
  const found = globalScope?.through.map(({ identifier }) => identifier as unknown as Node) ?? []
  return found.filter((identifier) => word(identifier, 'name') === name)
}

/** The variables that a node declares. */
export function declaredBy(script: ParsedScript, node: Node): readonly Variable[] {
  return scopesOf(script).getDeclaredVariables(node as never)
}

const resolved = new WeakMap<ParsedScript, Map<unknown, Variable | null>>()

/** The variable that an identifier stands for. */
export function variableOf(script: ParsedScript, identifier: Node | null): Variable | null {
  let known = resolved.get(script)
  if (!known) {
    const references = scopesOf(script).scopes.flatMap((scope) => scope.references)
    known = new Map(references.map((each): [unknown, Variable | null] => [each.identifier, each.resolved]))
    resolved.set(script, known)
  }
  return known.get(identifier) ?? null
}

function topScope(script: ParsedScript): Scope | null {
  const { globalScope } = scopesOf(script)
  if (script.wrapper) return scopesOf(script).acquire(script.wrapper as never)
  return globalScope?.childScopes[0] ?? globalScope
}

/** Of a node of TypeScript the parts that are there when it runs: types name no variables. */
function valueParts(node: Node): string[] {
  return ['expression', 'parameter', 'declaration', 'members', 'initializer', 'body'].filter(
    (name) => !isTypeOnly(node) && name in node,
  )
}

function isTypeOnly({ type }: Node): boolean {
  return /^TS(?!(As|Satisfies|NonNull|Instantiation)Expression$|TypeAssertion$|ParameterProperty$|ExportAssignment$|EnumDeclaration$|EnumBody$|EnumMember$)/.test(
    type,
  )
}

function scopesOf(script: ParsedScript): ScopeManager {
  const known = managers.get(script)
  if (known) return known
  const sourceType = script.isModule ? 'module' : 'commonjs'
  const manager = analyze(script.program as never, {
    ecmaVersion: 2022,
    sourceType,
    ignoreEval: true,
    fallback: valueParts as never,
  })
  managers.set(script, manager)
  return manager
}

/** The variable of a parameter, or of what is caught, where it is declared: without a default it has no reference of its own. */
export function declaredAt(script: ParsedScript, name: Node): Variable | null {
  for (let node: Node | null = name; node !== null; node = parentOf(script, node)) {
    if (!isFunction(node) && node.type !== 'CatchClause') continue
    const isIts = ({ identifiers }: Variable) => identifiers.some((one) => (one as unknown) === name)
    return declaredBy(script, node).find(isIts) ?? null
  }
  return null
}

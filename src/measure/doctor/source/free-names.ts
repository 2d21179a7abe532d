// What a function uses that it does not declare: globals, variables of its file, variables of the functions around it.

import type { Node } from 'acorn'
import { analyze, type Reference, type Scope, type ScopeManager, type Variable } from 'eslint-scope'
import type { ParsedScript } from './script-functions.js'

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

/** Whether it belongs to the file, and not to a function within. */
export function isOfFile(script: ParsedScript, variable: Variable): boolean {
  return variable.scope === topScope(script)
}

function topScope(script: ParsedScript): Scope | null {
  const { globalScope } = scopesOf(script)
  return globalScope?.childScopes[0] ?? globalScope
}

function scopesOf(script: ParsedScript): ScopeManager {
  const known = managers.get(script)
  if (known) return known
  const sourceType = script.isModule ? 'module' : 'commonjs'
  const manager = analyze(script.program as never, { ecmaVersion: 2022, sourceType, ignoreEval: true })
  managers.set(script, manager)
  return manager
}

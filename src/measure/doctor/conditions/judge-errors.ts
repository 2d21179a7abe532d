// Errors that a caller may know by their class: another thread gives it one of the same name and fields, and of no class of the user's.

import type { Node } from 'acorn'
import type { DoctorCondition } from '../../results/doctor-result.js'
import { memberName, part, parts, word } from '../source/ast.js'
import { variableOf } from '../source/free-names.js'
import type { Reached } from '../effects/judge-source.js'
import { childrenOf, type ParsedScript } from '../source/script-functions.js'
import type { ReachedError } from '../state/state-graph.js'
import type { Place, Places } from './places.js'

const OF_LANGUAGE = /^(Aggregate|Eval|Range|Reference|Syntax|Type|URI)?Error$|^DOMException$/
const MAX_NAMES = 4

/** What a function throws by itself. */
export function thrownErrors(reached: readonly Reached[], places: Places): DoctorCondition[] {
  const found = new Map<string, DoctorCondition>()
  for (const { script, node } of reached)
    for (const thrown of thrownIn(node)) {
      const name = nameOf(script, thrown)
      if (name === null || found.has(name)) continue
      const text = `its callers know the error of ${name} by its name or its fields, or its class is registered on both sides with registerClass` // prettier-ignore
      found.set(name, { kind: 'error-class', text, ...places.of(script, thrown) })
    }
  return [...found.values()]
}

/** What packages may throw, as far as their classes can be reached. */
export function reachedErrors(errors: readonly ReachedError[], place: Place): DoctorCondition[] {
  const byPackage = new Map<string, string[]>()
  for (const { name, owner } of errors)
    if (owner !== null) byPackage.set(owner, [...new Set([...(byPackage.get(owner) ?? []), name])])
  return [...byPackage].map(([owner, names]) => ({
    kind: 'error-class',
    text: `its callers know errors of the package ${owner} (${names.slice(0, MAX_NAMES).join(', ')}) by their names, and not by instanceof`,
    ...place,
  }))
}

/** What is thrown, and what promises are rejected with. */
function thrownIn(node: Node): Node[] {
  const own =
    node.type === 'ThrowStatement'
      ? part(node, 'argument')
      : memberName(part(node, 'callee')) === 'reject' || word(part(node, 'callee'), 'name') === 'reject'
        ? (parts(node, 'arguments')[0] ?? null)
        : null
  return [...(own ? [own] : []), ...childrenOf(node).flatMap(thrownIn)]
}

/** Null: an error of the language, or what somebody else has thrown. */
function nameOf(script: ParsedScript, thrown: Node, depth = 0): string | null {
  if (thrown.type === 'Identifier' && depth < 3) {
    const [definition] = variableOf(script, thrown)?.defs ?? []
    const init = part(definition?.node as unknown as Node, 'init')
    return init ? nameOf(script, init, depth + 1) : null
  }
  if (!/^(New|Call)Expression$/.test(thrown.type)) return null
  const callee = part(thrown, 'callee')
  const name = memberName(callee) ?? word(callee, 'name') ?? 'a class that is computed'
  if (memberName(callee) === 'assign' && thrown.type === 'CallExpression') return nameOf(script, parts(thrown, 'arguments')[0] ?? thrown, depth + 1) // prettier-ignore
  return OF_LANGUAGE.test(name) ? null : name
}

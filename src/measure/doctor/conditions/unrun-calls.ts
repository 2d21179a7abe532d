// Calls into packages that no real call came by: what such a package keeps, or does to the world, was not seen.

import { isBuiltin } from 'node:module'
import type { Node } from 'acorn'
import type { DoctorCondition } from '../../results/doctor-result.js'
import type { UnrunPart } from '../proof/replay/replay-messages.js'
import { part, rootOf } from '../source/ast.js'
import { homeOf } from '../effects/definitions.js'
import { isOfFile, variableOf } from '../source/free-names.js'
import { importOf, isOfUser, type FindScript } from '../source/imports.js'
import type { Reached } from '../effects/judge-source.js'
import { keptAs } from '../effects/kept.js'
import { childNodes, type ParsedScript } from '../source/script-functions.js'
import { placeText, type Places } from '../source/places.js'

export interface Unrun {
  /** Null: nobody knows what was run, so nothing counts as run. */
  readonly parts: readonly UnrunPart[] | null
  readonly modules: readonly { readonly name: string; readonly text: string }[]
  readonly places: Places
  readonly findScript: FindScript
}

const MAX_LINES = 5

export function unrunCalls(reached: readonly Reached[], unrun: Unrun): DoctorCondition[] {
  const found = new Map<string, DoctorCondition>()
  for (const { script, node } of reached) {
    const isRun = runAt(script, node, unrun)
    for (const call of callsIn(node)) {
      const what = isRun(call) ? null : packageOf(script, call, unrun.findScript)
      if (what === null) continue
      const place = unrun.places.of(script, call)
      const text = `nobody needs what ${what} keeps or does here: no call that was seen came by`
      found.set(placeText(place), { kind: 'state', text, ...place })
    }
  }
  return [...found.values()].slice(0, MAX_LINES)
}

/** The text of a function is the same in its module. */
function runAt(
  script: ParsedScript,
  { start, end }: Node,
  { parts, modules }: Unrun,
): (node: Node) => boolean {
  const text = script.text.slice(start, end)
  const module = modules.find((each) => each.text.includes(text))
  const by = (module?.text.indexOf(text) ?? 0) - start
  const own = parts?.filter(({ file }) => file === module?.name)
  return (node) =>
    module !== undefined &&
    own?.some((each) => each.start <= node.start + by && node.end + by <= each.end) === false
}

function callsIn(node: Node): Node[] {
  const own = /^(Call|New)Expression$|^TaggedTemplateExpression$/.test(node.type) ? [node] : []
  return [...own, ...childNodes(node).flatMap(callsIn)]
}

/** What is called is of a package, or an object that one has made; null: it is neither. */
function packageOf(script: ParsedScript, call: Node, findScript: FindScript): string | null {
  let root = rootOf(part(call, 'callee') ?? part(call, 'tag'))
  while (root?.type === 'CallExpression' || root?.type === 'NewExpression')
    root = rootOf(part(root, 'callee'))
  const variable = root?.type === 'Identifier' ? variableOf(script, root) : null
  const [definition] = variable?.defs ?? []
  if (!variable || !definition || !isOfFile(script, variable)) return null
  const imported = importOf(definition, variable)
  if (
    imported &&
    !isBuiltin(imported.module) &&
    !isOfUser(imported.module) &&
    findScript(script, imported.module) === null
  )
    return `the package ${imported.module}`
  const home = homeOf(script, variable, findScript)
  return home && keptAs(home, findScript) === 'whole'
    ? `\`${variable.name}\`, which a package has made,`
    : null
}

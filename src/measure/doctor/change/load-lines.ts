// Lines of a file that load others: those that are needed now, in place of those that are not any more.

import { dirname } from 'node:path'
import type { Node } from 'acorn'
import { part, parts, word } from '../source/ast.js'
import { topVariables } from '../source/free-names.js'
import type { ParsedScript } from '../source/script-functions.js'
import { specifierIn } from '../written/app-style.js'
import type { AppFiles } from './app-files.js'
import type { Edits } from './edits.js'
import { isDirective, loadedModules, statementRange } from './move-out.js'
import { pathFrom, inQuotes, taskName, type Plan, type Task } from './plan.js'
import { usesOf, type UsedFunction } from './uses.js'

export function loadLine(
  { app, styleFor }: Plan,
  script: ParsedScript,
  { names, path }: { names: readonly string[]; path: string },
): string {
  const style = styleFor(script)
  const from = inQuotes(style, specifierIn(style, pathFrom(dirname(app.pathOf(script)), path)))
  const end = style.hasSemicolons ? ';' : ''
  return style.isCommonJs
    ? `const { ${names.join(', ')} } = require(${from})${end}`
    : `import { ${names.join(', ')} } from ${from}${end}`
}

export function addLoad({ lines }: Plan, script: ParsedScript, line: string): void {
  lines.set(script, [...(lines.get(script) ?? []), line])
}

/** In place of the first one comes what is loaded now. */
export function noteUnneeded({ edits, places }: Plan, script: ParsedScript, statement: Node): void {
  if (places.has(script)) edits.remove(script, lineOf(script, statement))
  else places.set(script, statement)
}

/** With its end, and without a comment before it. */
function lineOf(script: ParsedScript, statement: Node): { start: number; end: number } {
  const after = /^[ \t]*;?[ \t]*(\r?\n)?/.exec(script.text.slice(statement.end))![0]
  return { start: statement.start, end: statement.end + after.length }
}

/** Where an import went, or after the last one. */
export function writeLoads({ edits, places }: Plan, script: ParsedScript, lines: readonly string[]): void {
  const text = lines.join('\n')
  const gone = places.get(script)
  if (gone) return edits.replace(script, gone, text)
  const last = loadedModules(script).at(-1)
  const directive = script.body.filter(isDirective).at(-1)
  if (last) edits.insert(script, last.end, `\n${text}`)
  else if (directive) edits.insert(script, directive.end, `\n\n${text}`)
  else edits.insert(script, statementRange(script, script.body[0]!).start, `${text}\n\n`)
}

/** Imports of what is now called on the pool. */
export function dropUnused(plan: Plan, tasks: readonly Task[]): void {
  const { app, edits, direct } = plan
  for (const script of plan.pooled) {
    for (const statement of loadedModules(script)) {
      const names = tasks
        .filter(({ used }) => used.script !== script && !direct.get(script)?.has(taskName(app, used)))
        .map(({ used }) => used)
      const gone = specifiersOf(statement).filter((each) =>
        names.some((used) => isOnlyCalls(app, script, { local: localOf(each), used })),
      )
      if (gone.length === 0) continue
      const kept = specifiersOf(statement).filter((each) => !gone.includes(each))
      if (kept.length > 0) removeSpecifiers(edits, script, gone, statement)
      else noteUnneeded(plan, script, statement)
    }
  }
}

function isOnlyCalls(
  app: AppFiles,
  script: ParsedScript,
  { local, used }: { local: string; used: UsedFunction },
): boolean {
  const variable = topVariables(script).find(({ name }) => name === local)
  const nodes =
    variable?.references.filter((each) => !each.init).map((each) => each.identifier as unknown as Node) ?? []
  const uses = usesOf(app, used, [script]).filter((use) => use.script === script)
  const isOne = (node: Node) => uses.some((use) => use.node === node || part(use.node, 'object') === node)
  return nodes.length > 0 && nodes.every(isOne)
}

export function specifiersOf(statement: Node): Node[] {
  if (statement.type === 'ImportDeclaration') return parts(statement, 'specifiers')
  const id = part(parts(statement, 'declarations')[0], 'id')
  return id?.type === 'ObjectPattern' ? parts(id, 'properties') : id ? [id] : []
}

function localOf(specifier: Node): string {
  return word(part(specifier, 'local') ?? part(specifier, 'value') ?? specifier, 'name') ?? ''
}

export function removeSpecifiers(
  edits: Edits,
  script: ParsedScript,
  gone: readonly Node[],
  statement: Node,
): void {
  const all = specifiersOf(statement)
  for (const each of gone) {
    const at = all.indexOf(each)
    const [before, after] = [all[at - 1], all[at + 1]]
    if (after) edits.remove(script, { start: each.start, end: after.start })
    else edits.remove(script, { start: before!.end, end: each.end })
  }
}

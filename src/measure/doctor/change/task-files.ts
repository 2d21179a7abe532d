// The modules of tasks: what passes a function on from its file, or has it, where the file does more than declare.

import { existsSync } from 'node:fs'
import { basename, dirname, extname, join, relative, sep } from 'node:path'
import type { Node } from 'acorn'
import { judgeSource } from '../effects/judge-source.js'
import { part, parts, word } from '../source/ast.js'
import { topVariables } from '../source/free-names.js'
import { importOf } from '../source/imports.js'
import { findExport } from '../source/re-exports.js'
import { nodesOf, parseScript, type ParsedScript } from '../source/script-functions.js'
import { isHarmless } from '../source/harmless-file.js'
import { specifierIn } from '../written/app-style.js'
import { loadOf, type AppFiles } from './app-files.js'
import { addLoad, dropUnused, noteUnneeded } from './load-lines.js'
import { taskFileText } from './made-files.js'
import { loadedModules, moveOut } from './move-out.js'
import { languageOf, pathFrom, inQuotes, type MadeFile, type Plan, type Task } from './plan.js'
import { Refused } from './refused.js'
import { isExport, usesOf, ownVariable, type UsedFunction } from './uses.js'

export function writeTasks(plan: Plan, script: ParsedScript, tasks: readonly Task[]): MadeFile {
  const { app, edits, styleFor, pooled } = plan
  const style = styleFor(script)
  const path = taskPath(app, script, tasks)
  const file = relative(app.root, path).split(sep).join('/')
  const exported = tasks.map((task) => exportName(app, task))
  const used = tasks.map((each) => each.used)
  const needs = packagesOf(app, used)
  const findPlain = Object.assign(
    (from: ParsedScript, module: string) => app.find(from, module) ?? (needs.has(module) ? EMPTY : null),
    { all: app.find.all, fileOf: app.find.fileOf },
  )
  const isPlain =
    exported.every((name) => name !== null) && !pooled.has(script) && isHarmless(script, findPlain)
  const self = specifierIn(style, pathFrom(dirname(path), app.pathOf(script)))
  if (isPlain && !loadsPool(plan, [script])) {
    dropUnused(plan, tasks)
    const text = taskFileText(
      tasks.map(({ name }, index) => ({ name, exported: exported[index]! })),
      { style, self },
    )
    return { file, path, before: null, after: text, loads: [script], tasks: tasks.map(({ name }) => name) }
  }
  const isNeeded = (name: string) => tasks.some((task) => task.name === name && isUsedOutside(plan, task))
  const out = moveOut({ app, edits }, used, { style, self, isNeeded })
  for (const each of out.unneeded) noteUnneeded(plan, script, each)
  const directHere = [...(plan.direct.get(script) ?? [])]
  backImport(plan, script, {
    path,
    needed: [...new Set([...out.needed, ...directHere, ...commonJsExports(script, tasks)])],
    passed: out.passed,
  })
  dropUnused(plan, tasks)
  directImports(plan, { script, path, tasks })
  const after = parseScript(out.text, languageOf(path))
  if (after === null)
    throw new Refused('its file of tasks could not be written', app.at(script, used[0]!.node))
  const loads = loadedModules(after)
    .filter((each) => word(each, 'importKind') !== 'type')
    .flatMap((each) => app.find(script, moduleOf(each)) ?? [])
  return { file, path, before: null, after: out.text, loads, tasks: tasks.map(({ name }) => name) }
}

const EMPTY = parseScript('')!

/** `module.exports = { render }` stays, so its file has to have it. */
function commonJsExports(script: ParsedScript, tasks: readonly Task[]): string[] {
  return tasks
    .filter(({ used }) => {
      const variable = ownVariable(used)
      return (
        variable !== null &&
        variable.references.some(
          (each) => !each.init && isExport({ script, node: each.identifier as unknown as Node }),
        )
      )
    })
    .map(({ used }) => ownVariable(used)!.name)
}

function moduleOf(statement: Node): string {
  const source = part(statement, 'source') as unknown as { value?: string } | null
  if (source) return source.value ?? ''
  const init = part(parts(statement, 'declarations')[0], 'init')
  const [given] = parts(init?.type === 'MemberExpression' ? part(init, 'object') : init, 'arguments')
  return String((given as unknown as { value?: unknown } | undefined)?.value ?? '')
}

/** By which the file exports it; null: it does not. */
function exportName(app: AppFiles, { used, name }: Task): string | null {
  const names = [name, used.node.id?.name ?? name, 'default']
  const variable = ownVariable(used)
  return (
    names.find((each) => {
      const found = findExport(used.script, each, app.find)
      return (
        found?.script === used.script &&
        (found.node === (used.node as Node) || (variable !== null && found.variable === variable))
      )
    }) ?? null
  )
}

/** Packages that the functions themselves use: a worker has to load those anyway. */
function packagesOf(app: AppFiles, used: readonly UsedFunction[]): Set<string> {
  const found = new Set<string>()
  for (const { script, node } of used)
    for (const reached of judgeSource(script, node, app.find).reached)
      for (const variable of topVariables(reached.script)) {
        const [definition] = variable.defs
        const imported = definition && importOf(definition, variable)
        const isUsed = variable.references.some(
          ({ identifier }) =>
            identifier.range![0] >= reached.node.start && identifier.range![1] <= reached.node.end,
        )
        if (imported && isUsed) found.add(imported.module)
      }
  return found
}

function taskPath(app: AppFiles, script: ParsedScript, tasks: readonly Task[]): string {
  const path = app.pathOf(script)
  const ending = extname(path)
  const stems = [basename(path, ending), tasks[0]!.name].map((stem) =>
    join(dirname(path), `${stem}.tasks${ending}`),
  )
  const free = stems.find((each) => !existsSync(each))
  if (free === undefined)
    throw new Refused(`${stems[0]} is there already`, app.at(script, tasks[0]!.used.node))
  return free
}

/** Somebody who does not change, such as a test, imports it from its file. */
function isUsedOutside({ app }: Plan, { used }: Task): boolean {
  return app.outside.length > 0 && usesOf(app, used, app.outside).length > 0
}

interface Back {
  readonly path: string
  readonly needed: readonly string[]
  readonly passed: readonly string[]
}

function backImport(plan: Plan, script: ParsedScript, { path, needed, passed }: Back): void {
  const style = plan.styleFor(script)
  const from = inQuotes(style, specifierIn(style, pathFrom(dirname(plan.app.pathOf(script)), path)))
  const end = style.hasSemicolons ? ';' : ''
  const lines = []
  if (needed.length > 0)
    lines.push(
      style.isCommonJs
        ? `const { ${needed.join(', ')} } = require(${from})${end}`
        : `import { ${needed.join(', ')} } from ${from}${end}`,
    )
  if (passed.length > 0 && !style.isCommonJs) lines.push(`export { ${passed.join(', ')} } from ${from}${end}`)
  if (lines.length > 0) addLoad(plan, script, lines.join('\n'))
}

/** Calls at the start of other files stay direct. */
function directImports(
  plan: Plan,
  { script, path, tasks }: { script: ParsedScript; path: string; tasks: readonly Task[] },
): void {
  for (const [user, names] of plan.direct) {
    const own = tasks.filter(({ name }) => names.has(name)).map(({ name }) => name)
    if (user !== script && own.length > 0) backImport(plan, user, { path, needed: own, passed: [] })
  }
}

/** A worker that loads the pool would make one more. */
export function checkNoPoolInside(plan: Plan): void {
  const { app, taskFiles, tasks } = plan
  for (const { loads } of taskFiles)
    if (loadsPool(plan, loads))
      throw new Refused(
        'what it uses is in a file that calls it, too: its worker would load the pool',
        app.at(tasks[0]!.used.script, tasks[0]!.used.node),
      )
}

function loadsPool({ app, pooled }: Plan, scripts: readonly ParsedScript[]): boolean {
  const seen = new Set<ParsedScript>()
  const visit = (script: ParsedScript): boolean => {
    if (seen.has(script)) return false
    seen.add(script)
    if (pooled.has(script)) return true
    return nodesOf(script).some((node) => {
      const source = word(node, 'importKind') === 'type' ? null : loadOf(node)
      const other = source === null ? null : app.find(script, source)
      return other !== null && visit(other)
    })
  }
  return scripts.some(visit)
}

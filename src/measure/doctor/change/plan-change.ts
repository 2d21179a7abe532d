// The smallest change of an app by which functions run on a pool: a module of tasks, the pool in one place, and all that calls them.

import { existsSync } from 'node:fs'
import { basename, dirname, extname, join, relative, sep } from 'node:path'
import type { Node } from 'acorn'
import { memberName, part, parts, word } from '../source/ast.js'
import type { AppScript } from '../source/app-script.js'
import { findExport } from '../source/re-exports.js'
import { importOf } from '../source/imports.js'
import { parentOf } from '../source/parents.js'
import { topVariables } from '../source/free-names.js'
import { judgeSource } from '../effects/judge-source.js'
import { nodesOf, parseScript, type FunctionNode, type Language, type ParsedScript } from '../source/script-functions.js' // prettier-ignore
import { isHarmless } from '../thrown/harmless-file.js'
import { endingIn, isTypeScript, specifierIn, styleOf, type AppStyle } from '../written/app-style.js'
import { loadOf, type AppFiles } from './app-files.js'
import { changeCalls, type ChangeNote, type Changing } from './change-calls.js'
import { createEdits, type Edits } from './edits.js'
import { allTasksText, closeText, passErrorsText, poolText, taskFileText } from './made-files.js'
import { isDirective, loadsOf, moveOut, rangeOf } from './move-out.js'
import { Refused } from './refused.js'
import { isExport, usesOf, variableOf, type Use, type UsedFunction } from './uses.js'

/** A function that is to move. */
export interface Mover {
  readonly name: string
  readonly script: AppScript
  readonly node: FunctionNode
}

export interface ChangedFile {
  /** Relative to the root, with forward slashes. */
  readonly file: string
  /** Null: it is new. */
  readonly before: string | null
  readonly after: string
}

export interface Change {
  readonly files: readonly ChangedFile[]
  readonly notes: readonly ChangeNote[]
  /** Files that are not what Node.js ran: they have to be built. */
  readonly isBuilt: boolean
}

/** @throws Refused */
export function planChange(app: AppFiles, movers: readonly Mover[]): Change {
  const moved = movers.map((each) => originalOf(app, each))
  const plan = createPlan(app, movers, moved)
  const homes = new Set(plan.tasks.map(({ used }) => used.script))
  const isWithinMoved = withinMoved(plan)
  for (const task of plan.tasks) changeTask(plan, task, isWithinMoved)
  for (const script of homes) plan.taskFiles.push(writeTasks(plan, script, plan.tasks.filter(({ used }) => used.script === script))) // prettier-ignore
  checkNoPoolInside(plan)
  const path = poolPath(plan)
  const made = [...plan.taskFiles, ...poolFiles(plan, path)]
  closePool(plan, path)
  for (const [script, lines] of plan.lines) writeLoads(plan, script, lines)
  for (const [script, statement] of plan.places) if (!plan.lines.has(script)) plan.edits.remove(script, rangeOf(script, statement)) // prettier-ignore
  return { files: [...changedFiles(plan), ...made], notes: plan.changing.notes, isBuilt: movers.some(({ script }) => script.sourceMap !== '') } // prettier-ignore
}

interface Task {
  readonly used: UsedFunction
  /** Of the task. */
  readonly name: string
}

interface Plan {
  readonly app: AppFiles
  readonly edits: Edits
  readonly changing: Changing
  readonly tasks: readonly Task[]
  /** Files that call the pool, and those that call a task directly. */
  readonly pooled: Set<ParsedScript>
  readonly direct: Map<ParsedScript, Set<string>>
  readonly taskFiles: MadeFile[]
  readonly isModule: boolean
  readonly styleFor: (script: ParsedScript) => AppStyle
  readonly pool: string
  /** Import statements that went. */
  readonly places: Map<ParsedScript, Node>
  /** Lines that load what is new. */
  readonly lines: Map<ParsedScript, string[]>
}

interface MadeFile extends ChangedFile {
  readonly path: string
  /** Files that it loads. */
  readonly loads: readonly ParsedScript[]
  /** Names of its tasks. */
  readonly tasks: readonly string[]
}

function originalOf(app: AppFiles, { name, script, node }: Mover): UsedFunction {
  const found = app.original(script, node)
  const place = { file: name, line: 1 }
  if (!found) throw new Refused('its source is not found', place)
  if (!app.scripts.includes(found.script)) throw new Refused('its source is not in the folder of the app', place)
  return { name, ...found }
}

function createPlan(app: AppFiles, movers: readonly Mover[], moved: readonly UsedFunction[]): Plan {
  const edits = createEdits()
  const others = app.scripts
  const isRun = movers.every(({ script }) => script.sourceMap === '')
  const styles = new Map<ParsedScript, AppStyle>()
  const styleFor = (script: ParsedScript) => {
    const known = styles.get(script) ?? styleOf({ script, path: app.pathOf(script), isRun }, others)
    styles.set(script, known)
    return known
  }
  const names = new Set<string>()
  const tasks = moved.map((used) => {
    const name = taskName(used)
    if (names.has(name)) throw new Refused(`two functions are called ${name}`, app.at(used.script, used.node))
    names.add(name)
    return { used, name }
  })
  return {
    ...{ app, edits, tasks, styleFor, pooled: new Set(), direct: new Map(), taskFiles: [], places: new Map(), lines: new Map() },
    changing: { app, edits, notes: [], awaited: new Set(), made: new Set(), passing: new Set() },
    isModule: movers[0]!.script.parsed!.isModule,
    pool: app.scripts.some((script) => declaresName(script, 'pool')) ? 'taskPool' : 'pool',
  }
}

function declaresName(script: ParsedScript, name: string): boolean {
  return nodesOf(script).some((each) => each.type === 'Identifier' && word(each, 'name') === name)
}

function taskName(used: UsedFunction): string {
  const name = variableOf(used)?.name ?? used.node.id?.name ?? used.name.replace(/^.*\./, '')
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'default' ? name : 'task'
}

/** Within a function that moves, and within what that calls, others that move are called in the worker. */
function withinMoved({ app, tasks }: Plan): (use: Use, task: Task) => boolean {
  const reached = tasks.map((task) => ({
    task,
    nodes: judgeSource(task.used.script, task.used.node, app.find).reached,
  }))
  return (use, task) =>
    reached.some(
      ({ task: other, nodes }) =>
        other !== task &&
        nodes.some(({ script, node }) => script === use.script && use.node.start >= node.start && use.node.end <= node.end),
    )
}

function changeTask(plan: Plan, task: Task, isWithinMoved: (use: Use, task: Task) => boolean): void {
  const { changing, edits, pooled, direct, pool } = plan
  const { used, name } = task
  changeCalls(changing, {
    ...used,
    isIgnored: (use) => isWithinMoved(use, task),
    onCall(use) {
      pooled.add(use.script)
      edits.replace(use.script, use.node, `${pool}.tasks.${name}`)
    },
    onStart: ({ script }) => void direct.set(script, (direct.get(script) ?? new Set()).add(name)),
  })
}

function writeTasks(plan: Plan, script: ParsedScript, tasks: readonly Task[]): MadeFile {
  const { app, edits, styleFor, pooled } = plan
  const style = styleFor(script)
  const path = taskPath(app, script, tasks)
  const file = relative(app.root, path).split(sep).join('/')
  const exported = tasks.map((task) => exportName(app, task))
  const used = tasks.map((each) => each.used)
  const needs = packagesOf(app, used)
  const findPlain = Object.assign((from: ParsedScript, module: string) => app.find(from, module) ?? (needs.has(module) ? EMPTY : null), { all: app.find.all, fileOf: app.find.fileOf }) // prettier-ignore
  const isPlain = exported.every((name) => name !== null) && !pooled.has(script) && isHarmless(script, findPlain as typeof app.find) // prettier-ignore
  const self = specifierIn(style, pathFrom(dirname(path), app.pathOf(script)))
  if (isPlain && !loadsPool(plan, [script])) {
    dropUnused(plan, tasks)
    const text = taskFileText(tasks.map(({ name }, index) => ({ name, exported: exported[index]! })), { style, self }) // prettier-ignore
    return { file, path, before: null, after: text, loads: [script], tasks: tasks.map(({ name }) => name) }
  }
  const isNeeded = (name: string) => tasks.some((task) => task.name === name && isUsedOutside(plan, task))
  const out = moveOut({ app, edits }, used, { style, self, isNeeded })
  for (const each of out.unneeded) noteUnneeded(plan, script, each)
  const directHere = [...(plan.direct.get(script) ?? [])]
  backImport(plan, script, { path, needed: [...new Set([...out.needed, ...directHere, ...commonJsExports(script, tasks)])], passed: out.passed }) // prettier-ignore
  dropUnused(plan, tasks)
  directImports(plan, { script, path, tasks })
  const after = parseScript(out.text, languageOf(path))
  if (after === null) throw new Refused('its file of tasks could not be written', app.at(script, used[0]!.node))
  const loads = loadsOf(after).filter((each) => word(each, 'importKind') !== 'type').flatMap((each) => app.find(script, moduleOf(each)) ?? [])
  return { file, path, before: null, after: out.text, loads, tasks: tasks.map(({ name }) => name) }
}

const EMPTY = parseScript('')!

/** `module.exports = { render }` stays, so its file has to have it. */
function commonJsExports(script: ParsedScript, tasks: readonly Task[]): string[] {
  return tasks.filter(({ used }) => {
    const variable = variableOf(used)
    return variable !== null && variable.references.some((each) => !each.init && isExport({ script, node: each.identifier as unknown as Node })) // prettier-ignore
  }).map(({ used }) => variableOf(used)!.name) // prettier-ignore
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
  const variable = variableOf(used)
  return names.find((each) => {
    const found = findExport(used.script, each, app.find)
    return found?.script === used.script && (found.node === (used.node as Node) || (variable !== null && found.variable === variable)) // prettier-ignore
  }) ?? null // prettier-ignore
}

/** Packages that the functions themselves use: a worker has to load those anyway. */
function packagesOf(app: AppFiles, used: readonly UsedFunction[]): Set<string> {
  const found = new Set<string>()
  for (const { script, node } of used)
    for (const reached of judgeSource(script, node, app.find).reached)
      for (const variable of topVariables(reached.script)) {
        const [definition] = variable.defs
        const imported = definition && importOf(definition, variable)
        const isUsed = variable.references.some(({ identifier }) => identifier.range![0] >= reached.node.start && identifier.range![1] <= reached.node.end) // prettier-ignore
        if (imported && isUsed) found.add(imported.module)
      }
  return found
}

function taskPath(app: AppFiles, script: ParsedScript, tasks: readonly Task[]): string {
  const path = app.pathOf(script)
  const ending = extname(path)
  const stems = [basename(path, ending), tasks[0]!.name].map((stem) => join(dirname(path), `${stem}.tasks${ending}`)) // prettier-ignore
  const free = stems.find((each) => !existsSync(each))
  if (free === undefined) throw new Refused(`${stems[0]} is there already`, app.at(script, tasks[0]!.used.node))
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
  const from = quoted(style, specifierIn(style, pathFrom(dirname(plan.app.pathOf(script)), path)))
  const end = style.hasSemicolons ? ';' : ''
  const lines = []
  if (needed.length > 0) lines.push(style.isCommonJs ? `const { ${needed.join(', ')} } = require(${from})${end}` : `import { ${needed.join(', ')} } from ${from}${end}`) // prettier-ignore
  if (passed.length > 0 && !style.isCommonJs) lines.push(`export { ${passed.join(', ')} } from ${from}${end}`)
  if (lines.length > 0) addLoad(plan, script, lines.join('\n'))
}

/** Calls at the start of other files stay direct. */
function directImports(plan: Plan, { script, path, tasks }: { script: ParsedScript; path: string; tasks: readonly Task[] }): void {
  for (const [user, names] of plan.direct) {
    const own = tasks.filter(({ name }) => names.has(name)).map(({ name }) => name)
    if (user !== script && own.length > 0) backImport(plan, user, { path, needed: own, passed: [] })
  }
}

/** Imports of what is now called on the pool. */
function dropUnused(plan: Plan, tasks: readonly Task[]): void {
  const { app, edits, direct } = plan
  for (const script of plan.pooled) {
    for (const statement of loadsOf(script)) {
      const names = tasks.filter(({ used }) => used.script !== script && !direct.get(script)?.has(taskName(used))).map(({ used }) => used) // prettier-ignore
      const gone = specifiersOf(statement).filter((each) => names.some((used) => isOnlyCalls(app, script, { local: localOf(each), used }))) // prettier-ignore
      if (gone.length === 0) continue
      const kept = specifiersOf(statement).filter((each) => !gone.includes(each))
      if (kept.length > 0) removeSpecifiers(edits, script, gone, statement)
      else noteUnneeded(plan, script, statement)
    }
  }
}

/** In place of the first one comes what is loaded now. */
function noteUnneeded({ edits, places }: Plan, script: ParsedScript, statement: Node): void {
  if (places.has(script)) edits.remove(script, lineOf(script, statement))
  else places.set(script, statement)
}

/** With its end, and without a comment before it. */
function lineOf(script: ParsedScript, statement: Node): { start: number; end: number } {
  const after = /^[ \t]*;?[ \t]*(\r?\n)?/.exec(script.text.slice(statement.end))![0]
  return { start: statement.start, end: statement.end + after.length }
}

function isOnlyCalls(app: AppFiles, script: ParsedScript, { local, used }: { local: string; used: UsedFunction }): boolean {
  const variable = topVariables(script).find(({ name }) => name === local)
  const nodes = variable?.references.filter((each) => !each.init).map((each) => each.identifier as unknown as Node) ?? [] // prettier-ignore
  const uses = usesOf(app, used, [script]).filter((use) => use.script === script)
  const isOne = (node: Node) => uses.some((use) => use.node === node || part(use.node, 'object') === node)
  return nodes.length > 0 && nodes.every(isOne)
}

function specifiersOf(statement: Node): Node[] {
  if (statement.type === 'ImportDeclaration') return parts(statement, 'specifiers')
  const id = part(parts(statement, 'declarations')[0], 'id')
  return id?.type === 'ObjectPattern' ? parts(id, 'properties') : id ? [id] : []
}

function localOf(specifier: Node): string {
  return word(part(specifier, 'local') ?? part(specifier, 'value') ?? specifier, 'name') ?? ''
}

function removeSpecifiers(edits: Edits, script: ParsedScript, gone: readonly Node[], statement: Node): void {
  const all = specifiersOf(statement)
  for (const each of gone) {
    const at = all.indexOf(each)
    const [before, after] = [all[at - 1], all[at + 1]]
    if (after) edits.remove(script, { start: each.start, end: after.start })
    else edits.remove(script, { start: before!.end, end: each.end })
  }
}

/** A worker that loads the pool would make one more. */
function checkNoPoolInside(plan: Plan): void {
  const { app, taskFiles, tasks } = plan
  for (const { loads } of taskFiles)
    if (loadsPool(plan, loads)) throw new Refused('what it uses is in a file that calls it, too: its worker would load the pool', app.at(tasks[0]!.used.script, tasks[0]!.used.node)) // prettier-ignore
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

/** In the folder of all that use it. */
function poolPath(plan: Plan): string {
  const { app, pooled, taskFiles, styleFor, pool } = plan
  if (pooled.size === 0) throw new Refused('nobody calls it after the start', app.at(plan.tasks[0]!.used.script, plan.tasks[0]!.used.node)) // prettier-ignore
  const folders = [...[...pooled].map((each) => dirname(app.pathOf(each))), ...taskFiles.map(({ path }) => dirname(path))] // prettier-ignore
  let folder = folders[0]!
  while (!folders.every((each) => each === folder || each.startsWith(folder + sep))) folder = dirname(folder)
  const ending = endingIn(folder, styleFor([...pooled][0]!))
  const names = [pool, 'task-pool', 'threadwise-pool'].map((name) => join(folder, name + ending))
  const free = names.find((each) => !existsSync(each))
  if (free === undefined) throw new Refused(`${names[0]} is there already`, { file: names[0]!, line: 1 })
  return free
}

function poolFiles(plan: Plan, path: string): ChangedFile[] {
  const { app, taskFiles, styleFor, pooled, pool, isModule, changing } = plan
  const style = styleFor([...pooled][0]!)
  const paths = taskFiles.map((each) => pathFrom(dirname(path), each.path))
  const made: { path: string; text: string }[] = []
  let tasks = paths[0]!
  if (paths.length > 1) {
    const all = join(dirname(path), `tasks${extname(path)}`)
    if (existsSync(all)) throw new Refused(`${all} is there already`, { file: all, line: 1 })
    made.push({ path: all, text: allTasksText(taskFiles.map(({ tasks: names }, index) => ({ names, from: specifierIn(style, paths[index]!) })), style) }) // prettier-ignore
    tasks = pathFrom(dirname(path), all)
  }
  made.push({ path, text: poolText({ style, path: tasks, name: pool, isModule, isTypeScript: isTypeScript(style) }) })
  for (const script of pooled) addLoad(plan, script, loadLine(plan, script, { names: [pool], path }))
  if (changing.passing.size > 0) {
    const helper = join(dirname(path), `pass-errors${extname(path)}`)
    if (existsSync(helper)) throw new Refused(`${helper} is there already`, { file: helper, line: 1 })
    made.push({ path: helper, text: passErrorsText(style) })
    for (const script of changing.passing) addLoad(plan, script, loadLine(plan, script, { names: ['passErrors'], path: helper })) // prettier-ignore
  }
  return made.map((each) => ({ file: relative(app.root, each.path).split(sep).join('/'), before: null, after: each.text })) // prettier-ignore
}

function loadLine({ app, styleFor }: Plan, script: ParsedScript, { names, path }: { names: readonly string[]; path: string }): string {
  const style = styleFor(script)
  const from = quoted(style, specifierIn(style, pathFrom(dirname(app.pathOf(script)), path)))
  const end = style.hasSemicolons ? ';' : ''
  return style.isCommonJs ? `const { ${names.join(', ')} } = require(${from})${end}` : `import { ${names.join(', ')} } from ${from}${end}` // prettier-ignore
}

function addLoad({ lines }: Plan, script: ParsedScript, line: string): void {
  lines.set(script, [...(lines.get(script) ?? []), line])
}

/** Where an import went, or after the last one. */
function writeLoads({ edits, places }: Plan, script: ParsedScript, lines: readonly string[]): void {
  const text = lines.join('\n')
  const gone = places.get(script)
  if (gone) return edits.replace(script, gone, text)
  const last = loadsOf(script).at(-1)
  const directive = script.body.filter(isDirective).at(-1)
  if (last) edits.insert(script, last.end, `\n${text}`)
  else if (directive) edits.insert(script, directive.end, `\n\n${text}`)
  else edits.insert(script, rangeOf(script, script.body[0]!).start, `${text}\n\n`)
}

/** The pool ends when the server has: where the app ends its server itself. */
function closePool(plan: Plan, path: string): void {
  const { app, edits, pool, styleFor, pooled } = plan
  const found = app.scripts.map((script) => ({ script, server: serverOf(script) })).find(({ server }) => server !== null) // prettier-ignore
  if (!found?.server) return
  const { script, server } = found
  edits.insert(script, server.statement.end, closeText({ server: server.name, pool, style: styleFor(script) }))
  if (!pooled.has(script)) addLoad(plan, script, loadLine(plan, script, { names: [pool], path }))
}

/** `const server = app.listen(...)` of a file that closes it somewhere. */
function serverOf(script: ParsedScript): { statement: Node; name: string } | null {
  for (const statement of script.body) {
    const [declarator] = parts(statement, 'declarations')
    const init = part(declarator, 'init')
    const name = word(part(declarator, 'id'), 'name')
    if (name === null || init?.type !== 'CallExpression' || memberName(part(init, 'callee')) !== 'listen') continue
    const isClosed = nodesOf(script).some((node) => memberName(node) === 'close' && word(part(node, 'object'), 'name') === name && parentOf(script, node)?.type === 'CallExpression') // prettier-ignore
    if (isClosed) return { statement, name }
  }
  return null
}

function changedFiles({ app, edits, tasks }: Plan): ChangedFile[] {
  return [...edits.texts()].flatMap(([script, after]) => {
    if (after === script.text) return []
    if (parseScript(after, languageOf(app.pathOf(script))) === null) throw new Refused(`${app.nameOf(script)} could not be changed`, app.at(tasks[0]!.used.script, tasks[0]!.used.node)) // prettier-ignore
    return [{ file: app.nameOf(script), before: script.text, after }]
  })
}

function languageOf(path: string): Language {
  return /x$/.test(path) ? 'TSX' : /\.[cm]?ts$/.test(path) ? 'TypeScript' : 'JavaScript'
}

function pathFrom(folder: string, file: string): string {
  const path = relative(folder, file).split(sep).join('/')
  return path.startsWith('.') ? path : `./${path}`
}

function quoted({ quote }: AppStyle, text: string): string {
  return quote + text + quote
}

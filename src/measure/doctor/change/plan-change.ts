// The smallest change of an app by which functions run on a pool: a module of tasks, the pool in one place, and all that calls them.

import { sep } from 'node:path'
import type { Node } from 'acorn'
import { judgeSource } from '../effects/judge-source.js'
import { word } from '../source/ast.js'
import type { AppScript } from '../source/app-script.js'
import { outDirOf } from '../source/own-packages.js'
import { pathOf } from '../source/original-place.js'
import { nodesOf, parseScript, type ParsedScript } from '../source/script-functions.js'
import { styleOf, type AppStyle } from '../written/app-style.js'
import { loadOf, type AppFiles } from './app-files.js'
import { changeCalls, type Changing } from './change-calls.js'
import { createEdits, type Edits } from './edits.js'
import { writeLoads } from './load-lines.js'
import { loadedModules, statementRange } from './move-out.js'
import {
  languageOf,
  taskName,
  type Change,
  type ChangedFile,
  type Mover,
  type Plan,
  type Task,
} from './plan.js'
import { closePool, passingFiles, poolFiles, poolPath } from './pool-files.js'
import { usePromiseForms } from './promise-forms.js'
import { BUILT, Refused } from './refused.js'
import { checkNoPoolInside, writeTasks } from './task-files.js'
import type { Use, UsedFunction } from './uses.js'

/** @throws Refused */
export function planChange(app: AppFiles, movers: readonly Mover[]): Change {
  const found = movers.map((each) => originalOf(app, each))
  const of = (way: Mover['way']) => found.filter((_, index) => movers[index]!.way === way)
  const plan = createPlan(app, movers, of('threads'))
  checkApart(plan, of('promise'))
  const forms = usePromiseForms(plan, of('promise'))
  const made = plan.tasks.length === 0 ? [] : changeTasks(plan)
  made.push(...passingFiles(plan))
  for (const [script, lines] of plan.lines) writeLoads(plan, script, lines)
  for (const [script, lines] of plan.constants)
    plan.edits.insert(script, loadedModules(script).at(-1)!.end, `\n\n${[...lines.values()].join('\n')}`)
  for (const [script, statement] of plan.places)
    if (!plan.lines.has(script)) plan.edits.remove(script, statementRange(script, statement))
  const isBuilt = movers.some(({ script }, index) => pathOf(script.url) !== app.pathOf(found[index]!.script))
  return { files: [...changedFiles(plan, found[0]!), ...made], notes: plan.changing.notes, isBuilt, forms }
}

/** What a worker runs cannot become asynchronous beside that. */
function checkApart(plan: Plan, others: readonly UsedFunction[]): void {
  const reached = plan.tasks.flatMap(({ used }) => judgeSource(used.script, used.node, plan.app.find).reached)
  for (const { name, script, node } of others)
    if (reached.some((each) => each.script === script && overlaps(each.node, node)))
      throw new Refused(`${name} is part of what moves`, plan.app.at(script, node))
}

const overlaps = (a: Node, b: Node) => a.start < b.end && b.start < a.end

function changeTasks(plan: Plan): ChangedFile[] {
  const homes = new Set(plan.tasks.map(({ used }) => used.script))
  const isWithinMoved = withinMoved(plan)
  for (const task of plan.tasks) changeTask(plan, task, isWithinMoved)
  for (const script of homes)
    plan.taskFiles.push(
      writeTasks(
        plan,
        script,
        plan.tasks.filter(({ used }) => used.script === script),
      ),
    )
  checkNoPoolInside(plan)
  const path = poolPath(plan)
  const made = [...plan.taskFiles, ...poolFiles(plan, path)]
  closePool(plan, path)
  return made
}

function originalOf(app: AppFiles, { name, script, node }: Mover): UsedFunction {
  const found = app.original(script, node)
  const place = { file: name, line: 1 }
  if (!found) throw new Refused('its source is not found', place)
  if (!app.scripts.includes(found.script))
    throw new Refused('its source is not in the folder of the app', place)
  if (isCompiled(app, found.script))
    throw new Refused(`a compiler has written its file: ${BUILT}`, app.at(found.script, found.node))
  if (pathOf(script.url) !== app.pathOf(found.script) && isBundled(found.script, script))
    throw new Refused(
      'its file is bundled with others, and a worker would not find its module: start the app from its sources, or make the change by docs/bundlers.md',
      app.at(found.script, found.node),
    )
  return { name, ...found }
}

/** By its place, or as what becomes CommonJS begins with TypeScript, Babel, SWC and esbuild. */
function isCompiled(app: AppFiles, script: ParsedScript): boolean {
  const outDir = outDirOf(app.root)
  return (
    /^\s*Object\.defineProperty\(exports, ["']__esModule["'], \{/m.test(script.text) ||
    (outDir !== null && outDir !== app.root && app.pathOf(script).startsWith(outDir + sep))
  )
}

/** What it imports of the app is not imported any more when it runs. */
function isBundled(original: ParsedScript, { parsed }: AppScript): boolean {
  const loadsOwn = (each: ParsedScript) =>
    nodesOf(each).some((node) => word(node, 'importKind') !== 'type' && /^\.\.?\//.test(loadOf(node) ?? ''))
  return loadsOwn(original) && parsed !== null && !loadsOwn(parsed)
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
    const name = taskName(app, used)
    if (names.has(name)) throw new Refused(`two functions are called ${name}`, app.at(used.script, used.node))
    names.add(name)
    return { used, name }
  })
  return {
    app,
    edits,
    tasks,
    styleFor,
    pooled: new Set(),
    direct: new Map(),
    taskFiles: [],
    places: new Map(),
    lines: new Map(),
    constants: new Map(),
    changing: newChanging(app, edits),
    isModule: movers[0]!.script.parsed!.isModule,
    pool: app.scripts.some((script) => declaresName(script, 'pool')) ? 'taskPool' : 'pool',
  }
}

function newChanging(app: AppFiles, edits: Edits): Changing {
  const sets = { awaited: new Set<Node>(), made: new Set<Node>(), returning: new Set<Node>() }
  return { app, edits, notes: [], ...sets, passing: new Set(), opensFiles: false }
}

function declaresName(script: ParsedScript, name: string): boolean {
  return nodesOf(script).some((each) => each.type === 'Identifier' && word(each, 'name') === name)
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
        nodes.some(
          ({ script, node }) =>
            script === use.script && use.node.start >= node.start && use.node.end <= node.end,
        ),
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

function changedFiles({ app, edits }: Plan, { script: own, node }: UsedFunction): ChangedFile[] {
  return [...edits.texts()].flatMap(([script, after]) => {
    if (after === script.text) return []
    if (parseScript(after, languageOf(app.pathOf(script))) === null)
      throw new Refused(`${app.nameOf(script)} could not be changed`, app.at(own, node))
    return [{ file: app.nameOf(script), before: script.text, after }]
  })
}

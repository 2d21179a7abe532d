// The pool in one place, and where it ends.

import { existsSync } from 'node:fs'
import { dirname, extname, join, relative, sep } from 'node:path'
import type { Node } from 'acorn'
import { memberName, part, parts, word } from '../source/ast.js'
import { parentOf } from '../source/parents.js'
import { nodesOf, type ParsedScript } from '../source/script-functions.js'
import { endingIn, isTypeScript, specifierIn } from '../written/app-style.js'
import { addLoad, loadLine } from './load-lines.js'
import { allTasksText, closeText, passErrorsText, poolText } from './made-files.js'
import { pathFrom, type ChangedFile, type Plan } from './plan.js'
import type { AppFiles } from './app-files.js'
import { isOfFastify } from './handlers.js'
import { Refused } from './refused.js'

/** In the folder of all that use it. */
export function poolPath(plan: Plan): string {
  const { app, pooled, taskFiles, styleFor, pool } = plan
  if (pooled.size === 0)
    throw new Refused(
      'nobody calls it after the start',
      app.at(plan.tasks[0]!.used.script, plan.tasks[0]!.used.node),
    )
  const folders = [
    ...[...pooled].map((each) => dirname(app.pathOf(each))),
    ...taskFiles.map(({ path }) => dirname(path)),
  ]
  const folder = commonFolder(folders)
  const ending = endingIn(folder, styleFor([...pooled][0]!))
  const names = [pool, 'task-pool', 'threadwise-pool'].map((name) => join(folder, name + ending))
  const free = names.find((each) => !existsSync(each))
  if (free === undefined) throw new Refused(`${names[0]} is there already`, { file: names[0]!, line: 1 })
  return free
}

export function poolFiles(plan: Plan, path: string): ChangedFile[] {
  const { taskFiles, styleFor, pooled, pool, isModule } = plan
  const style = styleFor([...pooled][0]!)
  const paths = taskFiles.map((each) => pathFrom(dirname(path), each.path))
  const made: { path: string; text: string }[] = []
  let tasks = paths[0]!
  if (paths.length > 1) {
    const all = join(dirname(path), `tasks${extname(path)}`)
    if (existsSync(all)) throw new Refused(`${all} is there already`, { file: all, line: 1 })
    made.push({
      path: all,
      text: allTasksText(
        taskFiles.map(({ tasks: names }, index) => ({ names, from: specifierIn(style, paths[index]!) })),
        style,
      ),
    })
    tasks = pathFrom(dirname(path), all)
  }
  made.push({
    path,
    text: poolText({ style, path: tasks, name: pool, isModule, isTypeScript: isTypeScript(style) }),
  })
  for (const script of pooled) addLoad(plan, script, loadLine(plan, script, { names: [pool], path }))
  return made.map((each) => fileOf(plan, each))
}

function fileOf({ app }: Plan, { path, text }: { path: string; text: string }): ChangedFile {
  return { file: relative(app.root, path).split(sep).join('/'), before: null, after: text }
}

/** What passes errors of an asynchronous handler on, where its framework does not. */
export function passingFiles(plan: Plan): ChangedFile[] {
  const { app, styleFor, pooled, changing } = plan
  const scripts = [...changing.passing]
  if (scripts.length === 0) return []
  const first = [...pooled, ...scripts][0]!
  const folder = commonFolder([...pooled, ...scripts].map((each) => dirname(app.pathOf(each))))
  const path = join(folder, `pass-errors${endingIn(folder, styleFor(first))}`)
  if (existsSync(path)) throw new Refused(`${path} is there already`, { file: path, line: 1 })
  for (const script of scripts) addLoad(plan, script, loadLine(plan, script, { names: ['passErrors'], path }))
  return [fileOf(plan, { path, text: passErrorsText(styleFor(first)) })]
}

function commonFolder(folders: readonly string[]): string {
  let folder = folders[0]!
  while (!folders.every((each) => each === folder || each.startsWith(folder + sep))) folder = dirname(folder)
  return folder
}

/** The pool ends when the server has: where the app ends its server itself. */
export function closePool(plan: Plan, path: string): void {
  const { app, edits, pool, styleFor, pooled } = plan
  const found = app.scripts
    .map((script) => ({ script, server: serverOf(app, script) }))
    .find(({ server }) => server !== null)
  if (!found?.server) return
  const { script, server } = found
  edits.insert(script, server.statement.end, closeText({ ...server, pool, style: styleFor(script) }))
  if (!pooled.has(script)) addLoad(plan, script, loadLine(plan, script, { names: [pool], path }))
}

interface Server {
  readonly statement: Node
  readonly name: string
  readonly isFastify: boolean
}

/** `const server = app.listen(...)`, or what makes one, of a file that closes it somewhere. */
function serverOf(app: AppFiles, script: ParsedScript): Server | null {
  for (const statement of script.body) {
    const [declarator] = parts(statement, 'declarations')
    const init = part(declarator, 'init')
    const name = word(part(declarator, 'id'), 'name')
    if (name === null || init?.type !== 'CallExpression' || !isClosed(script, name)) continue
    const callee = part(init, 'callee')
    const isServer = /^(listen|createServer)$/.test(memberName(callee) ?? word(callee, 'name') ?? '')
    const isFastify = !isServer && isOfFastify(app, script, init)
    if (isServer || isFastify) return { statement, name, isFastify }
  }
  return null
}

function isClosed(script: ParsedScript, name: string): boolean {
  return nodesOf(script).some(
    (node) =>
      memberName(node) === 'close' &&
      word(part(node, 'object'), 'name') === name &&
      parentOf(script, node)?.type === 'CallExpression',
  )
}

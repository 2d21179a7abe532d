// The import rule as data, and the check of source texts against it. See "Who may import whom" in ARCHITECTURE.md.
//
// A room is a folder of src. Files directly in src are the ways in for users.
import { posix } from 'node:path'
import ts from 'typescript'
import { mayImport } from './rooms.js'

/** Runs in a worker: of its own folder it may run only what is named here. */
const worker = [
  'errors',
  'primitives',
  'runtime/task',
  'runtime/wire',
  'runtime/wire/codec',
  'runtime/wire/kinds',
  'runtime/worker',
  'runtime/shared-memory/layout',
  'runtime/shared-memory/worker',
]
const threadFiles = ['young-collection', 'call-counters', 'thread-data'].map(
  (name) => `runtime/threads/${name}.ts`,
)

/** Ways in that do something when they are loaded. */
const acting = ['task.ts', 'doctor-register.ts']

/** Files that a process or a thread starts with: the rooms and files that each may import. */
export const entries = {
  'cli/dashboard/page/page-entry.ts': ['cli/dashboard/page', 'cli/dashboard/look/view.ts'],
  'runtime/threads/thread-entry.ts': [...worker, ...threadFiles],
  'runtime/processes/process-entry.ts': [
    ...worker,
    'runtime/processes/frames.ts',
    'runtime/processes/child-channel.ts',
  ],
  'runtime/piscina/piscina-entry.ts': [
    'runtime/task',
    'runtime/piscina/movable.ts',
    'runtime/piscina/piscina-init.ts',
  ],
  'measure/trial/trial-entry.ts': ['errors', 'measure/trial', 'primitives', 'runtime'],
  'measure/server/single-entry.ts': ['primitives'],
  'measure/doctor/agent/agent-entry.ts': [
    'measure/doctor/agent',
    'measure/doctor/state',
    'measure/machine/process-resources.ts',
    'measure/trial/loop-delay.ts',
    'primitives',
    'errors',
  ],
  'measure/doctor/agent/attached-entry.ts': [
    'measure/doctor/agent',
    'measure/doctor/state',
    'measure/machine/process-resources.ts',
    'measure/trial/loop-delay.ts',
    'primitives',
    'errors',
  ],
  'measure/doctor/attach/close-inspector-entry.ts': ['measure/doctor/attach'],
  'measure/doctor/attach/through-inspector-entry.ts': ['measure/doctor/attach', 'measure/doctor/agent'],
  'measure/doctor/proof/replay/replay-entry.ts': ['measure/doctor/proof/replay', 'measure/doctor/state'],
  'serve/instance/server-entry.ts': [
    'primitives',
    'serve/instance',
    'serve/contract',
    'serve/sticky/replay-bytes.ts',
  ],
  'serve/instance/hang-entry.ts': ['primitives'],
  'serve/service/primary-entry.ts': ['primitives', 'serve/service', 'serve/contract'],
}

/** Written as a user would write it. */
const asUsers = /^lab\/(tasks|programs|servers|uploads)\//

/** Rooms that are pure: the modules of Node that each may use, which are functions of text. All other rooms may use any. */
const pure = {
  errors: [],
  primitives: [
    'node:module',
    'node:perf_hooks',
    'node:process',
    'node:sea',
    'node:timers',
    'node:util',
    'node:v8',
    'node:worker_threads',
  ],
  'runtime/core': ['node:diagnostics_channel', 'node:fs'],
  'runtime/local': [],
  'runtime/executor': ['node:async_hooks', 'node:fs', 'node:path', 'node:url', 'node:util'],
  'runtime/pool': [],
  'runtime/pool/calls': [],
  'runtime/pool/dispatch': [],
  'runtime/pool/workers': [],
  'runtime/wire': ['node:perf_hooks', 'node:process', 'node:util'],
  'runtime/wire/codec': ['node:util', 'node:v8'],
  'runtime/wire/kinds': [
    'node:buffer',
    'node:crypto',
    'node:net',
    'node:stream/web',
    'node:url',
    'node:util',
    'node:worker_threads',
  ],
  'runtime/worker': [],
  'runtime/parallel': [],
  'runtime/web': [],
  'runtime/web/shims': ['node:async_hooks'],
  'runtime/adaptive': [],
  measure: [],
  'measure/results': [],
  'measure/decision': [],
  'measure/page': [],
  'measure/stats': [],
  'measure/findings': [],
  'measure/report': [],
  'measure/report/figures': [],
  'measure/report/markup': ['node:util'],
  'measure/report/plots': [],
  'measure/report/sections': [],
  'measure/report/terminal': ['node:util'],
}

/** Packages, and the wing, or wings, that may use each. What a service imports has none. */
const packages = {
  '@jridgewell/trace-mapping': 'measure',
  '@sveltejs/acorn-typescript': 'measure',
  acorn: 'measure',
  commander: 'cli',
  'eslint-scope': 'measure',
  croner: 'serve',
  yaml: 'serve',
  mustache: 'lab',
  pngjs: 'lab',
  diff: 'measure',
  'magic-string': ['bundling', 'measure'],
  unplugin: 'bundling',
  ws: 'measure',
  bullmq: 'runtime',
  ioredis: 'runtime',
}

/**
 * @param files path within src -> text
 * @returns {string[]} one sentence for each violation
 */
export function importViolations(files) {
  const imports = new Map(Object.entries(files).map(([path, text]) => [path, importsOf(path, text)]))
  const violations = []
  for (const [path, found] of imports) {
    for (const entry of found) {
      const problem = /^\.\.?\//.test(entry.from) ? checkOwn(path, entry, files) : checkForeign(path, entry)
      if (problem) violations.push(`${path}:${entry.line} ${problem}`)
    }
    if (isWayIn(path) && !acting.includes(path) && !onlyReExports(path, files[path])) {
      violations.push(`${path} may only re-export`)
    }
  }
  return [...violations, ...cycles(imports)]
}

/** All imports of a text: static, dynamic, of types, re-exports, and process.getBuiltinModule. */
export function importsOf(path, text) {
  const source = parse(path, text)
  const found = []
  const add = (node, literal, isType) => {
    const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
    found.push({ from: literal && ts.isStringLiteralLike(literal) ? literal.text : '', isType, line })
  }
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) add(node, node.moduleSpecifier, isTypeImport(node.importClause))
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
      add(node, node.moduleSpecifier, node.isTypeOnly || allTypes(node.exportClause))
    } else if (ts.isImportTypeNode(node)) add(node, node.argument.literal, true)
    else if (ts.isExternalModuleReference(node)) add(node, node.expression, false)
    else if (ts.isCallExpression(node) && isImportCall(node)) {
      // A path that is computed names a module of the user, not one of ours.
      if (ts.isStringLiteralLike(node.arguments[0])) add(node, node.arguments[0], false)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

const parse = (path, text) => ts.createSourceFile(path, text, ts.ScriptTarget.Latest)

function isImportCall({ expression, arguments: [first] }) {
  if (!first) return false
  if (expression.kind === ts.SyntaxKind.ImportKeyword) return true
  const name = ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.text
  return name === 'require' || name === 'getBuiltinModule'
}

function isTypeImport(clause) {
  if (!clause) return false
  return clause.isTypeOnly || (!clause.name && allTypes(clause.namedBindings))
}

const allTypes = (names) =>
  Boolean(names?.elements?.length) && names.elements.every(({ isTypeOnly }) => isTypeOnly)

function onlyReExports(path, text) {
  return parse(path, text).statements.every((statement) => ts.isExportDeclaration(statement))
}

const isWayIn = (path) => !path.includes('/')
const roomOf = (path) => posix.dirname(path)
const targetOf = (path, from) =>
  posix.join(posix.dirname(path), from).replace(/\.js(\?(code|module))?$/, '.ts')
/** The text of a program, which another process or thread runs. */
const isText = (from) => /\?(code|module)$/.test(from)

/** An import of a file of ours. */
function checkOwn(path, { from, isType }, files) {
  const target = targetOf(path, from)
  const type = isType ? ' types of' : ''
  if (!(target in files)) return `imports${type} ${target}, which does not exist`
  if (isText(from)) return target in entries ? undefined : `takes the text of ${target}, which is no entry`
  if (isWayIn(path)) return undefined
  if (isWayIn(target))
    return asUsers.test(path) ? undefined : `imports${type} ${target}, an entry for users only`
  return isAllowed(path, target, isType) ? undefined : `may not import${type} ${target}`
}

function isAllowed(path, target, isType) {
  const [own, room] = [roomOf(path), roomOf(target)]
  const isEntry = path.endsWith('-entry.ts')
  if (own === room && (isType || !isEntry)) return true
  const allowed = isEntry ? (entries[path] ?? worker) : mayImport[own]
  if (!allowed) return false
  return allowed.includes(room) || allowed.includes(target) || (isType && allowed.includes(`type ${room}`))
}

/** An import of a module of Node or of a package. */
function checkForeign(path, { from, isType }) {
  if (!from.startsWith('node:')) {
    return [packages[from]].flat().includes(path.split('/')[0])
      ? undefined
      : `may not import the package ${from}`
  }
  const allowed = pure[roomOf(path)]
  return !allowed || allowed.includes(from) ? undefined : `may not import${isType ? ' types of' : ''} ${from}`
}

/** Circles of files, and of rooms; those of types too. One sentence for each way back. */
function cycles(imports) {
  const files = new Map()
  const rooms = new Map()
  for (const [path, found] of imports) {
    const imported = found.filter(({ from }) => from.startsWith('.') && !isText(from))
    const targets = imported.map(({ from }) => targetOf(path, from))
    files.set(path, new Set(targets))
    if (isWayIn(path)) continue
    const list = rooms.get(roomOf(path)) ?? new Set()
    rooms.set(roomOf(path), list)
    for (const target of targets)
      if (!isWayIn(target) && roomOf(target) !== roomOf(path)) list.add(roomOf(target))
  }
  const ofFiles = waysBack(files)
  return ofFiles.length > 0 ? ofFiles : waysBack(rooms)
}

function waysBack(graph) {
  const found = []
  const done = new Set()
  const visit = (node, way) => {
    if (way.includes(node))
      return found.push(`${[...way.slice(way.indexOf(node)), node].join(' -> ')} is a cycle`)
    if (done.has(node)) return
    for (const next of graph.get(node) ?? []) visit(next, [...way, node])
    done.add(node)
  }
  for (const node of graph.keys()) visit(node, [])
  return found
}

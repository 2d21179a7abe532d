// The import rule as data, and the check of source texts against it. See "Who may import whom" in ARCHITECTURE.md.
import { posix } from 'node:path'
import ts from 'typescript'

/** A runtime: runs tasks in its own way. None may know another. */
export const runtimes = ['inline', 'concurrent', 'threads', 'processes', 'adaptive', 'bullmq', 'web']

const contract = ['errors.ts', 'task', 'protocol', 'executor']
const everything = Symbol('everything')

/** Folder of src, or file directly in src -> the folders and files that it may import, besides itself. */
export const mayImport = {
  'error-messages.ts': [],
  'errors.ts': ['error-messages.ts'],
  task: ['errors.ts'],
  protocol: ['errors.ts', 'task'],
  transport: ['errors.ts', 'task', 'protocol'],
  executor: ['errors.ts', 'task', 'protocol'],
  pool: contract,
  inline: [...contract, 'pool'],
  concurrent: [...contract, 'pool'],
  threads: [...contract, 'transport', 'pool', 'cpu'],
  processes: [...contract, 'pool', 'cpu'],
  adaptive: [...contract, 'pool', 'cpu', 'threads'],
  bullmq: [...contract, 'pool'],
  web: [...contract, 'pool'],
  parallel: ['errors.ts', 'task', 'executor'],
  cpu: ['errors.ts'],
  profile: ['errors.ts', 'cpu', 'executor'],
  cluster: ['errors.ts', 'cpu', 'load/latency-histogram.ts'],
  logs: ['errors.ts'],
  apps: ['errors.ts', 'cluster', 'logs'],
  load: ['errors.ts', 'cpu'],
  measure: ['errors.ts', 'executor', 'cpu', 'load', 'profile'],
  'measure-server': ['errors.ts', 'cpu', 'load', 'measure'],
  lab: ['errors.ts', 'task', 'measure', 'measure-server', 'cpu', 'parallel', 'type executor', 'type report'],
  report: ['type measure/result.ts', 'type lab/lab-result.ts', 'type load/load-result.ts', 'type measure-server/server-result.ts'], // prettier-ignore
  cli: everything,
  'executor-by-profile.ts': ['errors.ts', 'executor', 'cpu', 'profile', 'create-executor.ts'],
  'create-executor.ts': [...contract, 'pool', 'cpu', 'profile', ...runtimes],
  'index.ts': everything,
}

/** Files that may import more, or less, than their folder. */
const exceptions = {
  'measure/trial-entry.ts': [...mayImport.measure, 'measure', 'create-executor.ts', 'cluster'],
  'lab/render-server.ts': ['lab', 'create-executor.ts'],
  'lab/pool-server.ts': ['create-executor.ts'],
  'measure-server/single-entry.ts': [],
  'measure-server/cluster-entry.ts': ['cluster'],
  'cluster/server-entry.ts': ['errors.ts', 'cluster'],
  'load/load-entry.ts': ['errors.ts', 'load'],
}

/** What runs inside a worker knows the protocol and the task; of its own folder only the types of its settings. */
const workerEntry = ['errors.ts', 'protocol', 'task', 'transport']

/** Where modules of Node may be used; everything else runs in a browser too. */
const nodeFolders = [
  ...runtimes,
  'transport',
  'cpu',
  'profile',
  'cluster',
  'logs',
  'apps',
  'load',
  'measure-server',
  'lab',
  'cli',
].filter((name) => name !== 'web')
const nodeFiles = {
  'executor-by-profile.ts': ['node:url'],
  'measure/machine-check.ts': ['*'],
  'measure/machine-facts.ts': ['*'],
  'measure/process-resources.ts': ['*'],
  'measure/run-scout.ts': ['*'],
  'measure/run-trial.ts': ['*'],
  'measure/trial-process.ts': ['*'],
  'measure/trial-entry.ts': ['*'],
  'measure/workload.ts': ['*'],
  // Not an import: asked for at run time, so that a bundler for browsers does not meet it.
  'protocol/array-keys.ts': ['node:util'],
  'task/index.ts': ['node:async_hooks'],
  'task/define-context.ts': ['node:async_hooks'],
  'pool/channels.ts': ['node:diagnostics_channel'],
  'executor/in-callers-context.ts': ['node:async_hooks'],
}
/** Modules of Node that are pure functions of text, and where they may be used. */
const pureNode = { report: ['node:util'] }

/** Packages, and the folder that may use each. What a service imports has none. */
const packages = { commander: 'cli', mustache: 'lab', bullmq: 'bullmq' }

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
    if (
      posix.basename(path) === 'index.ts' &&
      path !== 'task/index.ts' &&
      !onlyReExports(path, files[path])
    ) {
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

/** An import of a file of ours. */
function checkOwn(path, { from, isType }, files) {
  const target = posix.join(posix.dirname(path), from).replace(/\.js$/, '.ts')
  const type = isType ? ' types of' : ''
  if (!(target in files)) return `imports${type} ${target}, which does not exist`
  const isTaskOfLab = path.startsWith('lab/tasks/') && target === 'task/index.ts' // written as users write theirs
  if (posix.basename(target) === 'index.ts' && !isTaskOfLab)
    return `imports${type} ${target}, an entry for users only`
  return isAllowed(path, target, isType) ? undefined : `may not import${type} ${target}`
}

function isAllowed(path, target, isType) {
  const own = unitOf(path)
  const isEntry = path.endsWith('-entry.ts')
  if (posix.basename(path) === 'index.ts') return true
  const allowed = exceptions[path] ?? (isEntry ? workerEntry : mayImport[own])
  if (allowed === everything) return true
  if (own === unitOf(target) && (isType || !isEntry)) return true
  const names = [unitOf(target), target]
  return Boolean(
    allowed?.some((name) => names.includes(name) || (isType && names.includes(name.replace('type ', '')))),
  )
}

/** The folder within src, or the file directly in it. */
const unitOf = (path) => path.split('/')[0]

/** An import of a module of Node or of a package. */
function checkForeign(path, { from, isType }) {
  const unit = unitOf(path)
  if (!from.startsWith('node:')) {
    return packages[from] === unit ? undefined : `may not import the package ${from}`
  }
  const inFile = nodeFiles[path] ?? []
  const isPure = pureNode[unit]?.includes(from)
  const mayUseNode = nodeFolders.includes(unit) || isPure || inFile.includes('*') || inFile.includes(from)
  return mayUseNode ? undefined : `may not import${isType ? ' types of' : ''} ${from}`
}

/** Cycles of imports at run time; those of types are erased. One sentence for each way back. */
function cycles(imports) {
  const found = []
  const done = new Set()
  const visit = (path, way) => {
    if (way.includes(path))
      return found.push(`${[...way.slice(way.indexOf(path)), path].join(' -> ')} is a cycle`)
    if (done.has(path)) return
    for (const { from, isType } of imports.get(path) ?? []) {
      if (isType || !from.startsWith('.')) continue
      visit(posix.join(posix.dirname(path), from).replace(/\.js$/, '.ts'), [...way, path])
    }
    done.add(path)
  }
  for (const path of imports.keys()) visit(path, [])
  return found
}

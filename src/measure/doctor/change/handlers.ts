// Who waits for the promise of a function that it is given: frameworks of servers, for what handles a request, and promises.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Node } from 'acorn'
import { memberName, part, parts, word } from '../source/ast.js'
import { variableOf } from '../source/free-names.js'
import { importOf, required } from '../source/imports.js'
import { findExport } from '../source/re-exports.js'
import { parentOf } from '../source/parents.js'
import { isFunction, type FunctionNode, type ParsedScript } from '../source/script-functions.js'
import type { AppFiles } from './app-files.js'

/** `awaits`; `passes`: it does not, and gets an error by `next(error)`. Null: nothing says that it waits. */
export type Waiting = 'awaits' | 'passes' | null

const ROUTES = /^(get|post|put|delete|patch|options|head|all|use|any)$/
const FRAMEWORKS = /^(express|fastify|koa|hono|@koa\/router|koa-router|router)$/
/** They hand a promise's error on themselves. */
const WRAPPERS = /^(express-async-handler|p-\w+)$/

interface Given {
  readonly app: AppFiles
  readonly script: ParsedScript
  readonly call: Node
  /** The argument. */
  readonly given: Node
  /** The function that a name stands for. */
  readonly handler?: FunctionNode
}

export function waitingOf(where: Given): Waiting {
  const { script, call, given, handler } = where
  const callee = part(call, 'callee')
  const name = memberName(callee)
  if (name === null) return ofPlainCall(where, callee)
  const place = parts(call, 'arguments').indexOf(given)
  if (/^(then|catch)$/.test(name) && place >= 0) return 'awaits'
  const framework = frameworkOf(where, part(callee, 'object'))
  if (framework === null)
    return name === 'createServer' && isModule(script, part(callee, 'object'), /^(node:)?https?$/)
      ? 'awaits'
      : null
  const parameters = (isFunction(given) ? given : handler)?.params.length ?? 0
  if (framework === 'fastify' && /^(addHook|setErrorHandler|setNotFoundHandler|register)$/.test(name))
    return parameters < 3 ? 'awaits' : null
  if (!ROUTES.test(name)) return null
  if (framework !== 'express') return 'awaits'
  if (waitsInExpress(where)) return 'awaits'
  return parameters === 4 ? null : 'passes'
}

/** A call of Fastify that is given what answers: a hook that gives its reply has answered. */
export function isOfFastifyCall({ app, script, call }: Omit<Given, 'given' | 'handler'>): boolean {
  const callee = part(call, 'callee')
  const name = memberName(callee) ?? ''
  const isAnswering = ROUTES.test(name) || /^set(Error|NotFound)Handler$/.test(name)
  return isAnswering && frameworkOf({ app, script }, part(callee, 'object')) === 'fastify'
}

/** Of the method of an object that a framework is given, such as `{ method, url, handler() {} }`. */
export function isRouteObject(app: AppFiles, script: ParsedScript, node: FunctionNode): boolean {
  const property = parentOf(script, node)
  const object = property && parentOf(script, property)
  const call = object && parentOf(script, object)
  if (word(part(property, 'key'), 'name') !== 'handler' || call?.type !== 'CallExpression') return false
  const callee = part(call, 'callee')
  const isRoute = memberName(callee) === 'route' || ROUTES.test(memberName(callee) ?? '')
  return isRoute && frameworkOf({ app, script }, part(callee, 'object')) === 'fastify'
}

const NEST =
  /^(Get|Post|Put|Delete|Patch|Options|Head|All|MessagePattern|EventPattern|Query|Mutation|ResolveField)$/

/** A method with a decorator of Nest, and no other one. */
export function isNestRoute(script: ParsedScript, node: FunctionNode): boolean {
  const method = parentOf(script, node)
  const names = parts(method, 'decorators').map(
    (each) => word(part(part(each, 'expression'), 'callee'), 'name') ?? '',
  )
  return names.some((name) => NEST.test(name) && isModule(script, decorator(method!, name), /^@nestjs\//))
}

function decorator(method: Node, name: string): Node | null {
  const callees = parts(method, 'decorators').map((each) => part(part(each, 'expression'), 'callee'))
  return callees.find((each) => word(each, 'name') === name) ?? null
}

/** `createServer(...)`, or a wrapper that passes errors on. */
function ofPlainCall({ script }: Given, callee: Node | null): Waiting {
  if (word(callee, 'name') === 'createServer' && isModule(script, callee, /^(node:)?https?$/)) return 'awaits'
  return isModule(script, callee, WRAPPERS) ? 'awaits' : null
}

function isModule(script: ParsedScript, node: Node | null, module: RegExp): boolean {
  return module.test(moduleNameOf(script, node) ?? '')
}

/** The package, or the module of Node.js, that a name is imported from. */
function moduleNameOf(script: ParsedScript, node: Node | null): string | null {
  const direct = required(node)
  if (direct !== null) return direct
  if (node?.type === 'MemberExpression') return moduleNameOf(script, part(node, 'object'))
  const variable = node?.type === 'Identifier' ? variableOf(script, node) : null
  const [definition] = variable?.defs ?? []
  const imported = definition && importOf(definition, variable!)
  if (imported) return imported.module
  const init = part(definition?.node as unknown as Node, 'init')
  return init?.type === 'Identifier' || init?.type === 'MemberExpression' ? moduleNameOf(script, init) : null
}

export function isOfFastify(app: AppFiles, script: ParsedScript, made: Node): boolean {
  return frameworkOf({ app, script }, made) === 'fastify'
}

type Framework = 'express' | 'fastify' | 'koa' | 'hono'
type Found = Framework | 'other' | null

/** By what makes the object; of a parameter by the only framework of the app. */
function frameworkOf(
  { app, script }: Pick<Given, 'app' | 'script'>,
  object: Node | null,
  depth = 0,
): Framework | null {
  const found = madeBy(app, script, object, depth)
  return found === 'other' ? null : found
}

function madeBy(app: AppFiles, script: ParsedScript, object: Node | null, depth: number): Found {
  if (object === null || depth > 6) return null
  const again = (node: Node | null) => madeBy(app, script, node, depth + 1)
  if (object.type === 'AwaitExpression') return again(part(object, 'argument'))
  if (object.type === 'NewExpression') return kindOf(moduleNameOf(script, part(object, 'callee')))
  if (object.type === 'CallExpression') {
    const module = moduleNameOf(script, part(object, 'callee'))
    if (module !== null && FRAMEWORKS.test(module)) return kindOf(module)
    return again(part(part(object, 'callee'), 'object')) // app.route('/').get(...), app.get(...).get(...)
  }
  if (object.type !== 'Identifier') return 'other'
  const variable = variableOf(script, object)
  const [definition] = variable?.defs ?? []
  if (definition?.type === 'Parameter') return onlyFramework(app)
  const imported = definition && importOf(definition, variable!)
  if (!imported) return again(part(definition?.node as unknown as Node, 'init'))
  const other = app.find(script, imported.module)
  const exported = other && findExport(other, imported.exported, app.find)
  const [origin] = exported?.variable?.defs ?? []
  return origin
    ? madeBy(app, exported!.script, part(origin.node as unknown as Node, 'init'), depth + 1)
    : 'other'
}

function kindOf(module: string | null): Found {
  if (module === null || !FRAMEWORKS.test(module)) return 'other'
  if (/koa/.test(module)) return 'koa'
  return module === 'router' ? 'express' : (module as Framework)
}

function onlyFramework({ root }: AppFiles): Framework | null {
  const file = packageAt(root)
  const all = Object.keys({ ...file?.dependencies, ...file?.devDependencies })
  const found = new Set(all.filter((name) => FRAMEWORKS.test(name)).map(kindOf))
  return found.size === 1 ? ([...found][0] as Framework) : null
}

interface PackageFile {
  readonly version?: string
  readonly dependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
}

function packageAt(folder: string): PackageFile | null {
  const path = join(folder, 'package.json')
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as PackageFile
  } catch {
    return null
  }
}

/** From 5 on, and with a package that makes 4 do so. */
function waitsInExpress({ app, script }: Given): boolean {
  const installed = installedAt(dirname(app.pathOf(script)), 'express')
  if (Number(/^\d+/.exec(installed?.version ?? '')?.[0] ?? 0) >= 5) return true
  return app.scripts.some(({ text }) => /['"]express-async-errors['"]/.test(text))
}

function installedAt(folder: string, name: string): PackageFile | null {
  const place = join(folder, 'node_modules', name)
  if (existsSync(place)) return packageAt(place)
  return dirname(folder) === folder ? null : installedAt(dirname(folder), name)
}

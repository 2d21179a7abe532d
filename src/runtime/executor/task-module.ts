// How callers name a task module: by URL or path, and for the caller's own thread also by its import.

import { existsSync, statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { checkOption } from '../../errors/check-options.js'
import { isUrl } from '../../primitives/any-realm.js'
import { sourceNames } from '../../primitives/source-names.js'
import { moduleNamesText, type NamedModules } from '../task/named-modules.js'

export type { NamedModules }

/** A module that is loaded, or what loads it: `() => import('./tasks.js')`. A bundler follows that by itself. */
export type LoadedModule<T extends object> = T | (() => T | Promise<T>)

const EXPECTED =
  "a URL such as new URL('./tasks.js', import.meta.url), or an absolute path such as join(__dirname, 'tasks.js')"
const EXPECTED_HERE = `${EXPECTED}, or () => import('./tasks.js')`
const ONE = `${EXPECTED}: one module. Several by name are for threads, processes, inline and concurrent`
const NAME = /^[A-Za-z_$][\w$]*$/

/**
 * The URL of a task module as text. A relative path is refused: it would depend on the working directory.
 *
 * @throws TW_ERR_INVALID_OPTION
 */
export function resolveModule(module: URL | string, expected = EXPECTED): string {
  const text = isUrl(module) ? module.href : module
  if (isNamed(text)) expected = ONE
  checkOption(typeof text === 'string', 'module', expected, module)
  if (isAbsolute(text)) return orSource(pathToFileURL(text).href)
  const isPlaced = URL.canParse(text) && /^(file|data|https?|blob):/.test(text)
  if (!isPlaced && OF_PACKAGE.test(text))
    expected += `, or for what a package gives import.meta.resolve(${JSON.stringify(text)})`
  checkOption(isPlaced, 'module', expected, text)
  return orSource(text)
}

/** `@acme/tasks`, `tasks/pages`, `#tasks`; not `tasks.js` and `src/tasks.js`. */
const OF_PACKAGE = /^(?!.*\.\w+$)(?:#|@[\w.-]+\/)?[\w-]+(?:\/[\w./-]+)?$/

/**
 * The same, also of several by their names.
 *
 * @throws TW_ERR_INVALID_OPTION
 */
export function resolveModules(module: URL | string | NamedModules): string {
  if (isUrl(module) || !isNamed(module)) return resolveModule(module)
  const names = Object.keys(module)
  checkOption(names.length > 0, 'module', `${EXPECTED}, or several by name`, module)
  for (const name of names)
    checkOption(NAME.test(name), 'module', 'names of letters and digits for its modules', name)
  return moduleNamesText(Object.fromEntries(names.map((name) => [name, resolveModule(module[name]!)])))
}

/** Several modules by their names. */
function isNamed(value: unknown): value is NamedModules {
  return typeof value === 'object' && value !== null && !isUrl(value)
}

/** What the caller's own thread loads: `load` is there where it was given. */
export interface LocalModule {
  /** Its URL, or what stands for it in messages. */
  readonly module: string
  readonly load?: () => unknown
}

/** @throws TW_ERR_INVALID_OPTION */
export function resolveLocalModule(module: URL | string | NamedModules | LoadedModule<object>): LocalModule {
  if (typeof module === 'function')
    return { module: nameOf(module as () => unknown), load: module as () => unknown }
  if (isNamed(module) && !isNamespace(module) && Object.values(module).some(isPlace))
    return { module: resolveModules(module) }
  if (isUrl(module) || !isNamespace(module)) return { module: resolveModule(module as URL, EXPECTED_HERE) }
  return { module: 'The module that was given', load: () => module }
}

const isPlace = (value: unknown): boolean => typeof value === 'string' || isUrl(value)

/** That of a bundle, or of CommonJS, is an object like others. */
function isNamespace(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { default: own } = value as { default?: unknown }
  const exported: unknown[] = [value, own ?? {}].flatMap((one): unknown[] => Object.values(one))
  return exported.some((one) => typeof one === 'function')
}

/** Code is long, and may span lines. */
function nameOf(load: () => unknown): string {
  const code = String(load).replace(/\s+/g, ' ')
  return code.length > 60 ? `${code.slice(0, 60)}...` : code
}

/** TypeScript names the file that it will write: where only its source is there, that is meant. */
function orSource(url: string): string {
  const { pathname, protocol } = new URL(url)
  const sources = protocol === 'file:' ? sourceNames(pathname) : []
  if (sources.length === 0 || isFile(new URL(url), true)) return url
  for (const name of sources) {
    const source = new URL(url)
    source.pathname = name
    if (isFile(source, false)) return source.href
  }
  return url
}

/** A folder may have the name of a module without its ending. */
function isFile(file: URL, hidden: boolean): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false
  } catch {
    return hidden
  }
}

/** `hidden`: what is taken for the answer where the permission model of Node lets nobody look. */
export function isThere(file: URL, hidden: boolean): boolean {
  try {
    return existsSync(file)
  } catch {
    return hidden
  }
}

/** Where there is none, a child that is started there fails as if Node were missing. */
export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

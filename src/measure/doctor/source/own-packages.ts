// The user's own code under a name: workspaces, the package's own name, `imports` of package.json, links, and aliases of tsconfig.json.

import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Paths that a bare specifier may stand for, as far as they are the user's; empty: it is a package of somebody else. */
export function ownPaths(from: string, specifier: string): string[] {
  const folder = dirname(from)
  if (specifier.startsWith('#')) return ofImports(folder, specifier)
  return [...ofPackage(folder, specifier), ...ofItself(folder, specifier), ...ofAliases(folder, specifier)]
}

interface PackageFile {
  readonly folder: string
  readonly name?: string
  readonly main?: string
  readonly module?: string
  readonly exports?: unknown
  readonly imports?: Record<string, unknown>
  readonly [dependencies: string]: unknown
}

function ofImports(folder: string, specifier: string): string[] {
  const file = nearestPackage(folder)
  if (!file?.imports) return []
  const target = targetOf(file.imports, specifier)
  if (target === null) return []
  return target.startsWith('.') ? [resolve(file.folder, target)] : ofPackage(file.folder, target)
}

function ofItself(folder: string, specifier: string): string[] {
  const file = nearestPackage(folder)
  const { name, rest } = partsOf(specifier)
  return file && file.name === name && file.exports !== undefined ? entriesOf(file, rest) : []
}

/** A folder in `node_modules` that is a link to one outside of it, or that is the user's by its version. */
function ofPackage(folder: string, specifier: string): string[] {
  const { name, rest } = partsOf(specifier)
  for (const each of foldersAbove(folder)) {
    const place = join(each, 'node_modules', name)
    if (!existsSync(join(place, 'package.json'))) continue
    const real = realpathSync(place)
    const isOwn = !/[\\/]node_modules[\\/]/.test(real) || isOwnVersion(nearestPackage(folder), name)
    const file = isOwn ? readPackage(real) : null
    return file ? entriesOf(file, rest) : []
  }
  return []
}

function isOwnVersion(file: PackageFile | null, name: string): boolean {
  const lists = ['dependencies', 'devDependencies', 'optionalDependencies'].map((key) => file?.[key])
  return lists.some((list) =>
    /^(file|link|portal|workspace):/.test((list as Record<string, string> | undefined)?.[name] ?? ''),
  )
}

function entriesOf({ folder, exports, main, module }: PackageFile, rest: string): string[] {
  if (exports !== undefined) {
    const isTable =
      typeof exports === 'object' &&
      exports !== null &&
      Object.keys(exports).some((key) => key.startsWith('.'))
    const target = isTable
      ? targetOf(exports as Record<string, unknown>, `.${rest}`)
      : rest === ''
        ? chosen(exports)
        : null
    return target === null ? [] : [resolve(folder, target)]
  }
  if (rest !== '') return [join(folder, rest)]
  return [main, module, 'index'].flatMap((each) => (each === undefined ? [] : [resolve(folder, each)]))
}

/** Of `exports` or `imports`, where a key may hold one `*`. */
function targetOf(table: Record<string, unknown>, key: string): string | null {
  if (key in table) return chosen(table[key])
  for (const [pattern, target] of Object.entries(table)) {
    const [before, after] = pattern.split('*') as [string, string?]
    const isIts = after !== undefined && key.startsWith(before) && key.endsWith(after)
    const found = isIts ? chosen(target) : null
    if (found !== null) return found.replaceAll('*', key.slice(before.length, key.length - after!.length))
  }
  return null
}

const CONDITIONS = ['node', 'import', 'module-sync', 'module', 'require', 'default']

function chosen(target: unknown): string | null {
  if (typeof target === 'string') return target
  if (Array.isArray(target)) return target.map(chosen).find((each) => each !== null) ?? null
  if (typeof target !== 'object' || target === null) return null
  const key = Object.keys(target).find(
    (each) => CONDITIONS.includes(each) && chosen(Reflect.get(target, each)) !== null,
  )
  return key === undefined ? null : chosen(Reflect.get(target, key))
}

interface CompilerFile {
  readonly compilerOptions?: { baseUrl?: string; paths?: Record<string, string[]>; outDir?: string }
  readonly extends?: string | string[]
}

function ofAliases(folder: string, specifier: string): string[] {
  for (const each of foldersAbove(folder)) {
    for (const name of ['tsconfig.json', 'jsconfig.json']) {
      const place = join(each, name)
      if (existsSync(place)) return aliasesOf(place, specifier)
    }
  }
  return []
}

function aliasesOf(place: string, specifier: string): string[] {
  const file = readCompilerFile(place)
  const { paths, baseUrl = '.' } = file?.compilerOptions ?? {}
  if (!paths) {
    const base =
      typeof file?.extends === 'string' && file.extends.startsWith('.')
        ? resolve(dirname(place), file.extends)
        : null
    return base !== null && existsSync(base) ? aliasesOf(base, specifier) : []
  }
  const target = targetOf(
    Object.fromEntries(Object.entries(paths).map(([key, list]) => [key, list[0]])),
    specifier,
  )
  return target === null ? [] : [resolve(dirname(place), baseUrl, target)]
}

/** Where `tsc` writes what Node.js runs; null: nothing says so. */
export function outDirOf(folder: string): string | null {
  const place = join(folder, 'tsconfig.json')
  const outDir = existsSync(place) ? readCompilerFile(place)?.compilerOptions?.outDir : undefined
  return outDir === undefined ? null : resolve(folder, outDir)
}

/** It may have comments, and commas at the end of lists. */
function readCompilerFile(place: string): CompilerFile | null {
  const text = readFileSync(place, 'utf8')
  const bare = text.replace(/("(?:[^"\\]|\\.)*")|\/\/.*|\/\*[^]*?\*\//g, '$1').replace(/,(\s*[}\]])/g, '$1')
  try {
    return JSON.parse(bare) as CompilerFile
  } catch {
    return null
  }
}

function partsOf(specifier: string): { name: string; rest: string } {
  const [name] = /^(@[^/]+\/)?[^/]+/.exec(specifier) ?? ['']
  return { name, rest: specifier.slice(name.length) }
}

function nearestPackage(folder: string): PackageFile | null {
  const found = foldersAbove(folder).find((each) => existsSync(join(each, 'package.json')))
  return found === undefined ? null : readPackage(found)
}

function readPackage(folder: string): PackageFile | null {
  try {
    return { ...(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object), folder }
  } catch {
    return null
  }
}

function foldersAbove(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...foldersAbove(above)]
}

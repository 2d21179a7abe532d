// Which measured module a file is: `src/tasks.ts` was measured, and a build runs. Told by what says so, and never by a guess; what is not told is
// not measured.
//
//   the file itself              src/tasks.ts
//   what our plugin wrote        dist/tasks-1f0a22c3.js#src/tasks.ts     also of what it gives while Vite develops: an absolute path
//   a source map                 dist/tasks.js.map names ../src/tasks.ts
//   its path                     dist/tasks.js, dist/src/tasks.js, .build/esm/tasks.js, dist/tasks-3F9A22.js where there is no other such one

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The module that a built one was made of, where its URL says so, as a path; a relative one is from the folder of the package. */
export function sourceInUrl(module: string): string | undefined {
  try {
    const { hash } = new URL(module)
    return hash === '' ? undefined : decodeURIComponent(hash.slice(1))
  } catch {
    return undefined
  }
}

interface Asked {
  /** Path of the profile. */
  readonly file: string
  /** URL of the module. */
  readonly module: string
}

/** One of `keys`, which name modules from the folder of the profile; undefined: it was not measured, or several could be meant. */
export function findMeasured({ file, module }: Asked, keys: readonly string[]): string | undefined {
  const folder = dirname(file)
  const path = fileURLToPath(module)
  const key = keyOf(folder, path)
  if (keys.includes(key)) return key
  const source = sourceInUrl(module)
  if (source !== undefined) {
    const own = isAbsolute(source) ? keyOf(folder, source) : source
    return only(keys.filter((each) => each === own || each.endsWith(`/${own}`) || own.endsWith(`/${each}`)))
  }
  const own = withoutHash(key)
  const isAlone = own === key || !hasOtherHash(path, own)
  return only(mappedSources(path, folder, keys)) ?? (isAlone ? byPath(folder, own, keys) : undefined)
}

function keyOf(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/')
}

function only<T>(found: readonly T[]): T | undefined {
  return found.length === 1 ? found[0] : undefined
}

/** Those among the sources that the map names of which the file has the name: a bundle holds other modules, too. */
function mappedSources(path: string, folder: string, keys: readonly string[]): string[] {
  const map = readMap(path)
  if (!map) return []
  const { sources = [], sourceRoot = '' } = map.content
  const paths = sources.map((source) => resolve(map.folder, sourceRoot, source))
  const known = keys.filter((each) => paths.includes(join(folder, each)))
  return sources.length === 1 ? known : known.filter((each) => hasNameOf(path, each))
}

interface SourceMap {
  readonly sources?: readonly string[]
  readonly sourceRoot?: string
}

/** A comment at the end of the file says where it is. */
const MAP = /\/\/[#@]\s*sourceMappingURL=(\S+)\s*$/

function readMap(path: string): { folder: string; content: SourceMap } | undefined {
  try {
    const [, url] = MAP.exec(readFileSync(path, 'utf8')) ?? []
    if (url === undefined) return undefined
    const [, inline] = /^data:application\/json[^,]*;base64,(.*)$/.exec(url) ?? []
    const file = inline === undefined ? resolve(dirname(path), decodeURIComponent(url)) : path
    const text = inline === undefined ? readFileSync(file, 'utf8') : String(Buffer.from(inline, 'base64'))
    return { folder: dirname(file), content: JSON.parse(text) as SourceMap }
  } catch {
    return undefined // there is none, or nothing that one could use
  }
}

/** `tasks-1f0a22c3.js` is one of `src/tasks.ts`. */
function hasNameOf(path: string, key: string): boolean {
  const [built, source] = [path, key].map((each) => stem(each.split(/[\\/]/).at(-1)!)) as [string, string]
  return built === source || (built.startsWith(source) && /^[-._]/.test(built.slice(source.length)))
}

function stem(path: string): string {
  return path.replace(/\.[mc]?[jt]sx?$/, '')
}

/** As bundlers name files by their content: `tasks-1f0a22c3.js`, `tasks.B7xQ2k9_.mjs`. A word is no hash. */
const HASH = /[-._](?=[\w-]*[\dA-Z])[\w-]{6,}(?=\.[mc]?js$)/

function withoutHash(key: string): string {
  return key.replace(HASH, '')
}

/** Another file of that name lies there: which of them is which, nothing tells. */
function hasOtherHash(path: string, key: string): boolean {
  const name = key.split('/').at(-1)!
  const others = readdirSync(dirname(path)).filter((each) => each !== basename(path))
  return others.some((each) => withoutHash(each) === name)
}

/** Where sources lie, and what builds write to. */
const SOURCE_FOLDER = /^(src|source|sources|lib|ts)$/
const OUTPUT_FOLDER =
  /^\.|(^|[-_.])(dist|build|built|out|output|lib|compiled|bundle|bundled|target|release)\d*([-_.]|$)/i
/** Below those: one for each kind of modules. */
const FORMAT_FOLDER = /^(esm?|esnext|es\d+|mjs|cjs|commonjs|module|node\d*|js|src|source|lib)$/i

function byPath(folder: string, key: string, keys: readonly string[]): string | undefined {
  const lengths = keys.map((each) => commonEnd(key, each))
  const longest = Math.max(0, ...lengths)
  const best = only(keys.filter((_, i) => lengths[i] === longest && longest > 0))
  return best !== undefined && isOtherForm(key, best, longest) && !hasOther(folder, key, best)
    ? best
    : undefined
}

/** Segments of the paths that are the same, from the last one on. */
function commonEnd(one: string, other: string): number {
  const [a, b] = [segments(one), segments(other)]
  let count = 0
  while (count < Math.min(a.length, b.length) && a.at(-1 - count) === b.at(-1 - count)) count++
  return count
}

function segments(path: string): string[] {
  return stem(path).split('/')
}

/** What the paths do not have in common are the folders of sources, and of builds. */
function isOtherForm(key: string, source: string, common: number): boolean {
  const [ofBuild, ofSource] = [key, source].map((each) => segments(each).slice(0, -common)) as [
    string[],
    string[],
  ]
  const [root, ...below] = ofBuild
  if (ofSource.length > 1 || !ofSource.every((each) => SOURCE_FOLDER.test(each))) return false
  if (root === undefined) return true
  const isBuild = OUTPUT_FOLDER.test(root) || SOURCE_FOLDER.test(root)
  return isBuild && below.every((each) => FORMAT_FOLDER.test(each) || OUTPUT_FOLDER.test(each))
}

/** Another source that is there could be meant by that path: `src/esm/tasks.ts` by `dist/esm/tasks.js`, and not `src/tasks.ts`. */
function hasOther(folder: string, key: string, source: string): boolean {
  const below = segments(key).slice(1)
  const ending = source.slice(stem(source).length)
  const names = below.map((_, i) => below.slice(i).join('/') + ending)
  const places = ['', 'src/', 'source/', 'lib/'].flatMap((place) => names.map((name) => place + name))
  return places.some((each) => each !== source && existsSync(join(folder, each)))
}

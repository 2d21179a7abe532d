// Finds in the code of a module which task modules it names.
//
//   threads(new URL('./tasks.js', import.meta.url))   the URL of a module that is built beside the program
//   threads(join(__dirname, 'tasks.js'))              the same by its path
//   threads(import.meta.resolve('./tasks.js'))        its URL as text
//   threads(require.resolve('./tasks.js'))            its path
//   web(new URL('./tasks.js', import.meta.url))       what makes a worker, whose file page-workers.ts writes

import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Wanted } from './name-outputs.js'
import { hasNoEnding, sourceNames } from '../primitives/source-names.js'

/** A place in the code that names a task module. */
export interface FoundModule {
  readonly start: number
  readonly end: number
  /** Path of the module. */
  readonly file: string
  /** It is the first argument of `web`. */
  readonly isForPage: boolean
  readonly kind: Wanted['kind']
  /** What another bundler has named as its source: see name-outputs.ts. */
  readonly fragment?: string
  /** What makes of a URL its text. */
  readonly after?: string | undefined
}

/** Places that name a file which is not there, and what they name. */
export interface Missing {
  readonly start: number
  readonly name: string
}

/** A text of one line that holds no code: its mark, and what it holds. */
const TEXT = '(?<mark>["\'`])((?:(?!\\k<mark>|\\$\\{|[\\\\\\n]).)+)\\k<mark>'
/** `new URL('./tasks.js', import.meta.url)`, but not what `new Worker()` takes: bundlers know that. */
const URL_OF = new RegExp(
  `(?<!\\bWorker\\(\\s*)\\bnew URL\\(\\s*${TEXT}\\s*,\\s*import\\.meta\\.url\\s*,?\\s*\\)`,
  'g',
)
/** `import.meta.resolve('./tasks.js')` and `require.resolve('./tasks')`; that of a package is left alone. */
const RESOLVED = new RegExp(`\\b(import\\.meta|require)\\.resolve\\(\\s*${TEXT}\\s*,?\\s*\\)`, 'g')
/** The folder of a module, as Node says it, and as ES modules have made it by themselves. */
const FOLDER = [
  '__dirname',
  'import\\.meta\\.dirname',
  '(?:[\\w$]+\\.)?dirname\\(\\s*(?:[\\w$]+\\.)?fileURLToPath\\(\\s*import\\.meta\\.url\\s*\\)\\s*\\)',
  '(?:[\\w$]+\\.)?fileURLToPath\\(\\s*new URL\\(\\s*["\'`]\\.\\/?["\'`]\\s*,\\s*import\\.meta\\.url\\s*\\)\\s*\\)',
].join('|')
const VARIABLE_OF_FOLDER = new RegExp(
  `\\b(?:const|let|var)\\s+([\\w$]+)\\s*=\\s*(?:${FOLDER})\\s*(?:[;\\n]|$)`,
  'g',
)
/** TypeScript and others make `(0, path_1.join)(...)` of it for CommonJS. */
const JOIN = '(?:\\b[\\w$]+\\.)*\\b(?:join|resolve)'

/** `join(__dirname, 'tasks.js')`, `path.resolve(import.meta.dirname, 'a', 'tasks.js')`, `` `${__dirname}/tasks.js` `` and `__dirname + '/tasks.js'`. */
function pathsOf(code: string): RegExp[] {
  const variables = [...code.matchAll(VARIABLE_OF_FOLDER)].map(([, name]) => name!.replaceAll('$', '\\$'))
  const folder = `(?<![\\w$.])(?:${[FOLDER, ...variables].join('|')})`
  return [
    new RegExp(
      `(?:\\(\\s*0\\s*,\\s*${JOIN}\\s*\\)|${JOIN})\\(\\s*${folder}((?:\\s*,\\s*(?:"[^"\\n\\\\]*"|'[^'\\n\\\\]*'))+)\\s*,?\\s*\\)`,
      'g',
    ),
    new RegExp(`\`\\$\\{${folder}\\}([^\`$\\\\]+)\``, 'g'),
    new RegExp(`${folder}\\s*\\+\\s*((?:"[^"\\n\\\\]*"|'[^'\\n\\\\]*'))`, 'g'),
  ]
}

const IS_CODE = /\.[mc]?[jt]sx?$/
/** What another bundler has written: Nitro bundles again what Vite has made, in which threadwise may be, too. */
const BUILT = /\bnew URL\(\s*["'`][^"'`\n]+\.[mc]?js#[^"'`\n]+\.[mc]?[jt]sx?["'`]\s*,/
const IMPORT = /\bfrom\s*["']threadwise(?:\/\w+)?["']|\b(?:require|import)\(\s*["']threadwise/
/** What a module of a page may import, and that takes no URL but by `web`: there another URL may be that of a service worker. */
const OF_PAGES = /["']threadwise\/(?:web|task|parallel)["']/g
/** The second and third: `const { web } = await import(...)`, and `import(...).then(({ web }) => ...)`. */
const IMPORT_OF_WEB = new RegExp(
  [
    /\bimport\s*([^'"]+?)\s*from\s*["']threadwise\/web["']/,
    /\b(?:const|let|var)\s+([^=;]+?)\s*=\s*(?:await\s+import|require)\(\s*["']threadwise\/web["']/,
    /\bimport\(\s*["']threadwise\/web["']\s*\)\s*\.then\(\s*(?:async\b\s*)?\(?\s*(\{[^}]*\}|[\w$]+)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

/**
 * In the order of the code, and only in modules that import threadwise. A file that does not exist is left alone: it may be one that is
 * written later.
 */
export function findTaskModules(code: string, path: string): FoundModule[] {
  const names = namesOfWeb(code)
  const isOnlyOfPage = names.length > 0 && !IMPORT.test(code.replace(OF_PAGES, ''))
  if (names.length === 0 && !IMPORT.test(code) && !BUILT.test(code)) return []
  const references = findReferences(code, path)
  const forPage = findArguments(code, names, references)
  const isTaken = ({ start }: FoundModule) => forPage.some((place) => place.start === start)
  const others = isOnlyOfPage ? [] : references.filter((place) => !isTaken(place))
  return [...forPage, ...others].sort((one, other) => one.start - other.start)
}

/** In modules that import threadwise. The file of one may be written later, by something else. */
export function findMissing(code: string, path: string): Missing[] {
  if (!IMPORT.test(code)) return []
  return placesIn(code, path).flatMap(({ start, name, files, fragment }) =>
    fragment !== undefined || files.some((file) => sourceOf(file)) ? [] : [{ start, name }],
  )
}

export function nothingThere(name: string): string {
  return `There is no file ${name}, nor a source of it: a task module of that name is not built.`
}

/** It stands in a line that begins as one. */
function isComment(code: string, start: number): boolean {
  return /^\s*(?:\/\/|\/?\*)/.test(code.slice(code.lastIndexOf('\n', start) + 1, start))
}

function findReferences(code: string, path: string): FoundModule[] {
  const all = IMPORT.test(code) ? () => true : ({ fragment }: Named) => fragment !== undefined
  return placesIn(code, path)
    .filter(all)
    .flatMap(({ start, end, files, kind, fragment, after }) => {
      const file = files.map(sourceOf).find((each) => each !== undefined)
      return file ? [{ start, end, file, kind, after, isForPage: false, ...(fragment && { fragment }) }] : []
    })
}

/** A place that names a file of code. */
export interface Named {
  readonly start: number
  readonly end: number
  /** As the code has it. */
  readonly name: string
  /** What that may mean. */
  readonly files: readonly string[]
  readonly kind: Wanted['kind']
  readonly fragment?: string
  readonly after?: string | undefined
}

/** All that there are, in the order of the code, whatever they are for. */
export function placesIn(code: string, path: string): Named[] {
  const placeOf = (match: RegExpExecArray) => ({ start: match.index, end: match.index + match[0].length })
  const urls = [...code.matchAll(URL_OF)].flatMap((match): Named[] => {
    const [, name, fragment] = /^([^#]+\.[mc]?js)(#.+\.[mc]?[jt]sx?)$/.exec(match[2]!) ?? [null, match[2]!]
    if (/^(\/|\w+:)/.test(name)) return []
    const files = filesOfUrl(name, path)
    if (!IS_CODE.test(name) && !isModuleWithoutEnding(files)) return []
    return [{ ...placeOf(match), name, files, kind: 'source' as const, ...(fragment && { fragment }) }]
  })
  const resolved = [...code.matchAll(RESOLVED)].flatMap((match): Named[] => {
    const name = match[3]!
    if (!/^\.\.?\//.test(name)) return []
    const isUrl = match[1] === 'import.meta'
    const files = isUrl ? filesOfUrl(name, path) : [resolve(dirname(path), name)]
    if (!IS_CODE.test(name) && !isModuleWithoutEnding(files)) return []
    return [
      { ...placeOf(match), name, files, kind: isUrl ? 'source' : 'path', ...(isUrl && { after: '.href' }) },
    ]
  })
  const paths = pathsOf(code)
    .flatMap((pattern) => [...code.matchAll(pattern)])
    .flatMap((match): Named[] => {
      const words = match[0].startsWith('`') ? [match[1]!] : wordsIn(match[1]!)
      const file = resolve(dirname(path), ...words.map((word) => `./${word}`))
      if (!IS_CODE.test(file) && !isModuleWithoutEnding([file])) return []
      return [{ ...placeOf(match), name: words.join('/'), files: [file], kind: 'path' as const }]
    })
  return [...urls, ...resolved, ...paths]
    .filter(({ start }) => !isProse(code, start))
    .sort((one, other) => one.start - other.start)
}

/** Of a message or a comment: "a URL such as new URL('./tasks.js', import.meta.url)". Code has no word before an expression but these. */
function isProse(code: string, start: number): boolean {
  const [, word] = /(\w+)\s+$/.exec(code.slice(Math.max(0, start - 40), start)) ?? []
  return (word !== undefined && !BEFORE_EXPRESSIONS.has(word)) || isComment(code, start)
}

const BEFORE_EXPRESSIONS = new Set([
  'return',
  'await',
  'default',
  'yield',
  'case',
  'else',
  'in',
  'of',
  'throw',
  'typeof',
  'void',
  'do',
  'extends',
  'instanceof',
])

/** A URL or a path may be that of anything, also of a folder: only where a module is found it names one. */
function isModuleWithoutEnding(files: readonly string[]): boolean {
  return files.some((file) => hasNoEnding(file) && !isFile(file) && sourceOf(file) !== undefined)
}

/** A URL has some signs of a name encoded; many write them as they are. */
function filesOfUrl(name: string, path: string): string[] {
  const asWritten = resolve(dirname(path), name)
  try {
    return [fileURLToPath(new URL(name, pathToFileURL(path))), asWritten]
  } catch {
    return [asWritten]
  }
}

function wordsIn(list: string): string[] {
  return [...list.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, one, other]) => one ?? other!)
}

/** By what name the code calls `web`: `web`, `onWorkers` of `web as onWorkers`, or `threadwise.web`. */
function namesOfWeb(code: string): string[] {
  return [...code.matchAll(IMPORT_OF_WEB)].flatMap(([, ...clauses]) => {
    const clause = clauses.find((each) => each !== undefined)!
    const whole = /^(?:\*\s*as\s+)?([\w$]+)$/.exec(clause)
    if (whole) return [`${whole[1]!}.web`]
    const named = /[{,]\s*web\b(?:\s*(?:as\s|:)\s*([\w$]+))?/.exec(clause)
    return named ? [named[1] ?? 'web'] : []
  })
}

/** First arguments of `web`: a reference itself, or a variable that was set to one. */
function findArguments(
  code: string,
  names: readonly string[],
  references: readonly FoundModule[],
): FoundModule[] {
  const fileOf = new Map(references.flatMap((place) => variableOf(code, place)))
  return names.flatMap((name) =>
    [...code.matchAll(callOf(name))].flatMap((match) => {
      const start = match.index + match[0].length
      const reference = references.find((place) => place.start === start)
      const variable = /^[\w$]+/.exec(code.slice(start))?.[0] ?? ''
      const end = reference?.end ?? start + variable.length
      const file = reference?.file ?? fileOf.get(variable)
      const isWhole = /^\s*[,)]/.test(code.slice(end))
      return file && isWhole ? [{ start, end, file, isForPage: true, kind: 'url' as const }] : []
    }),
  )
}

/** Up to the first argument; TypeScript may name a type before. */
function callOf(name: string): RegExp {
  const type = '(?:<[^;()]*(?:\\([^;()]*\\)[^;()]*)*>\\s*)?'
  return new RegExp(`(?<![\\w$.])${name.replace(/[.$]/g, '\\$&')}\\s*${type}\\(\\s*`, 'g')
}

function variableOf(code: string, { start, file }: FoundModule): [string, string][] {
  const before = /\b(?:const|let|var)\s+([\w$]+)\s*(?::\s*URL\s*)?=\s*$/.exec(code.slice(0, start))
  return before ? [[before[1]!, file]] : []
}

/** The file itself, or what it is built of; undefined: there is neither. */
export function sourceOf(file: string): string | undefined {
  return [file, ...sourceNames(file)].find(isFile)
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

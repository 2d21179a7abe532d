// Finds in the code of a module which task modules it names.
//
//   threads(new URL('./tasks.js', import.meta.url))   the URL of a module that is built beside the program
//   web(new URL('./tasks.js', import.meta.url))       what makes a worker, whose file page-workers.ts writes

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, dirname, relative, resolve } from 'node:path'

/** A place in the code that names a task module. */
export interface Found {
  readonly start: number
  readonly end: number
  /** Path of the module. */
  readonly file: string
  /** It is the first argument of `web`. */
  readonly isForPage: boolean
}

/** `new URL('./tasks.js', import.meta.url)`, but not what `new Worker()` takes: bundlers know that. */
const REFERENCE =
  /(?<!\bWorker\(\s*)\bnew URL\(\s*(["'`])((?!\/|\w+:)[^"'`$]+\.[mc]?[jt]sx?)\1\s*,\s*import\.meta\.url\s*,?\s*\)/g
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
export function findTaskModules(code: string, path: string): Found[] {
  const names = namesOfWeb(code)
  const isOnlyOfPage = names.length > 0 && !IMPORT.test(code.replace(OF_PAGES, ''))
  if (names.length === 0 && !IMPORT.test(code)) return []
  const references = findReferences(code, path)
  const forPage = findArguments(code, names, references)
  const isTaken = ({ start }: Found) => forPage.some((place) => place.start === start)
  const others = isOnlyOfPage ? [] : references.filter((place) => !isTaken(place))
  return [...forPage, ...others].sort((one, other) => one.start - other.start)
}

function findReferences(code: string, path: string): Found[] {
  return [...code.matchAll(REFERENCE)].flatMap((match) => {
    const file = existing(resolve(dirname(path), match[2]!))
    const [start, end] = [match.index, match.index + match[0].length]
    return file ? [{ start, end, file, isForPage: false }] : []
  })
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
function findArguments(code: string, names: readonly string[], references: readonly Found[]): Found[] {
  const fileOf = new Map(references.flatMap((place) => variableOf(code, place)))
  return names.flatMap((name) =>
    [...code.matchAll(callOf(name))].flatMap((match) => {
      const start = match.index + match[0].length
      const reference = references.find((place) => place.start === start)
      const variable = /^[\w$]+/.exec(code.slice(start))?.[0] ?? ''
      const end = reference?.end ?? start + variable.length
      const file = reference?.file ?? fileOf.get(variable)
      const isWhole = /^\s*[,)]/.test(code.slice(end))
      return file && isWhole ? [{ start, end, file, isForPage: true }] : []
    }),
  )
}

/** Up to the first argument; TypeScript may name a type before. */
function callOf(name: string): RegExp {
  const type = '(?:<[^;()]*(?:\\([^;()]*\\)[^;()]*)*>\\s*)?'
  return new RegExp(`(?<![\\w$.])${name.replace(/[.$]/g, '\\$&')}\\s*${type}\\(\\s*`, 'g')
}

function variableOf(code: string, { start, file }: Found): [string, string][] {
  const before = /\b(?:const|let|var)\s+([\w$]+)\s*(?::\s*URL\s*)?=\s*$/.exec(code.slice(0, start))
  return before ? [[before[1]!, file]] : []
}

/** TypeScript names the file that it will write. */
function existing(file: string): string | undefined {
  return [file, file.replace(/js(x?)$/, 'ts$1')].find((path) => existsSync(path))
}

/** The code with each place replaced. */
export function replaceEach(
  code: string,
  found: readonly Found[],
  replacement: (place: Found) => string,
): string {
  let replaced = ''
  let end = 0
  for (const place of found) {
    replaced += code.slice(end, place.start) + replacement(place)
    end = place.end
  }
  return replaced + code.slice(end)
}

/** The same in each build, and two files of one name get two. */
export function outputName(file: string): string {
  const place = relative(process.cwd(), file).replaceAll('\\', '/')
  const hash = createHash('sha256').update(place).digest('hex').slice(0, 8)
  return `${basename(file).replace(/\.\w+$/, '')}-${hash}`
}

/** Stands for the way from an output to a task module, which is known once both are written. */
const PLACE = 'threadwise-task-module:'

/** `name`: of the output, or what stands for it. In CommonJS there is no import.meta.url. */
export function urlOf(name: string, isModule: boolean): string {
  const place = JSON.stringify(PLACE + name)
  if (isModule) return `new URL(${place}, import.meta.url)`
  return `require('node:url').pathToFileURL(require('node:path').join(__dirname, ${place}))`
}

/** Until the file is written no other plugin must see `import.meta.url`: Nitro puts something of its own in its place. */
const CALL = 'threadwiseTaskModule'

/** A call of a function that is not there; withUrls() puts the URL in its place. */
export function callFor(reference: string): string {
  return `${CALL}(${JSON.stringify(reference)})`
}

/** The code of an output with the URLs of its task modules. `output`, `pathOf`: as for withWays(). */
export function withUrls(
  code: string,
  output: { path: string; isModule: boolean },
  pathOf: (reference: string) => string,
): string {
  const replaced = code.replace(
    new RegExp(`${CALL}\\(\\s*["'\`]([\\w.$-]+)["'\`]\\s*\\)`, 'g'),
    (_, reference: string) => urlOf(reference, output.isModule),
  )
  return withWays(replaced, output.path, pathOf)
}

/** `output`: path of the file that holds the code. `pathOf`: of what urlOf() was given. */
export function withWays(code: string, output: string, pathOf: (name: string) => string): string {
  return code.replace(new RegExp(`${PLACE}([\\w.$-]+)`, 'g'), (_, name: string) => {
    const way = relative(dirname(output), pathOf(name)).replaceAll('\\', '/')
    return way.startsWith('.') ? way : `./${way}`
  })
}

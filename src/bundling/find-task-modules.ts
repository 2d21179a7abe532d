// Finds in the code of a module which task modules it names.

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, dirname, relative, resolve } from 'node:path'

/** A place in the code that names a task module. */
export interface Found {
  readonly start: number
  readonly end: number
  /** Path of the module. */
  readonly file: string
}

/** `new URL('./tasks.js', import.meta.url)`, but not what `new Worker()` takes: bundlers know that. */
const REFERENCE =
  /(?<!\bWorker\(\s*)\bnew URL\(\s*(["'`])(\.{1,2}\/[^"'`$]+\.[mc]?[jt]sx?)\1\s*,\s*import\.meta\.url\s*,?\s*\)/g
const IMPORT = /\bfrom\s*["']threadwise(?:\/\w+)?["']|\brequire\(\s*["']threadwise/

/** Only in modules that import threadwise. A file that does not exist is left alone: it may be one that is written later. */
export function findTaskModules(code: string, path: string): Found[] {
  if (!IMPORT.test(code)) return []
  return [...code.matchAll(REFERENCE)].flatMap((match) => {
    const file = existing(resolve(dirname(path), match[2]!))
    return file ? [{ start: match.index, end: match.index + match[0].length, file }] : []
  })
}

/** TypeScript names the file that it will write. */
function existing(file: string): string | undefined {
  return [file, file.replace(/js(x?)$/, 'ts$1')].find((path) => existsSync(path))
}

/** The code with each place replaced. */
export function replaceEach(
  code: string,
  found: readonly Found[],
  replacement: (file: string) => string,
): string {
  let replaced = ''
  let end = 0
  for (const place of found) {
    replaced += code.slice(end, place.start) + replacement(place.file)
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

// What stands for a task module in the code until all files have their names, and what takes its place then.
//
//   Rollup          threadwiseTaskModule("REFERENCE", "source#SOURCE~~~~~~")
//   then            new URL("./tasks-HASH.js#SOURCE", import.meta.url)
//   CommonJS        new URL("#SOURCE", require('node:url').pathToFileURL(require('node:path').join(__dirname, "./tasks-HASH.js")))
//
// SOURCE is the path of the task module in its package: executor() looks up in threadwise.json what was measured under that name.

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

/** What a place is to have. */
export interface Wanted {
  /** Of the task module. */
  readonly file: string
  /** A URL that names the source too, a URL alone, or a path. */
  readonly kind: 'source' | 'url' | 'path'
  /** Of a module that another bundler has built. */
  readonly fragment?: string
}

/** The same in each build, and two files of one name get two. No sign of it needs another form in a URL. */
export function outputName(file: string): string {
  const place = relative(process.cwd(), file).replaceAll('\\', '/')
  const hash = createHash('sha256').update(place).digest('hex').slice(0, 8)
  return `${stemOf(file)}-${hash}`
}

export function stemOf(file: string): string {
  return basename(file)
    .replace(/\.\w+$/, '')
    .replace(/[^\w.-]+/g, '_')
}

/** Its path from the folder of its package. */
export function fragmentOf({ file, fragment }: Pick<Wanted, 'file' | 'fragment'>): string {
  if (fragment !== undefined) return fragment
  const source = relative(packageOf(dirname(file)), file).split(/[\\/]/)
  return `#${source.map(encoded).join('/')}`
}

function packageOf(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  return parent === folder ? process.cwd() : packageOf(parent)
}

function encoded(segment: string): string {
  return encodeURIComponent(segment).replace(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
}

/** An expression of what is wanted, which needs no import. `way`: to the file from that of the code. In CommonJS there is no import.meta.url. */
export function expressionOf(way: string, wanted: Wanted, isModule: boolean): string {
  const { kind } = wanted
  const fragment = kind === 'source' ? fragmentOf(wanted) : ''
  if (isModule) {
    const url = `new URL(${JSON.stringify(asUrl(way) + fragment)}, import.meta.url)`
    return kind === 'path' ? pathOfUrl(url) : url
  }
  const path = `require('node:path').join(__dirname, ${JSON.stringify(way)})`
  if (kind === 'path') return path
  const url = `require('node:url').pathToFileURL(${path})`
  return fragment === '' ? url : `new URL(${JSON.stringify(fragment)}, ${url})`
}

export function pathOfUrl(url: string): string {
  return `process.getBuiltinModule('node:url').fileURLToPath(${url})`
}

export function wayFrom(output: string, file: string): string {
  const way = relative(dirname(output), file).replaceAll('\\', '/')
  return way.startsWith('.') ? way : `./${way}`
}

function asUrl(way: string): string {
  return way.split('/').map(encoded).join('/')
}

/** Until the file is written no other plugin must see `import.meta.url`: Nitro puts something of its own in its place. */
const CALL = 'threadwiseTaskModule'
/** As much as the expression may be longer than what stands for it. */
const ROOM = '~'.repeat(60)

/** A call of a function that is not there, until the files have their names; withUrls() puts an expression in its place. */
export function callFor(reference: string, wanted: Wanted): string {
  const fragment = wanted.kind === 'source' ? fragmentOf(wanted) : ''
  return `${CALL}(${JSON.stringify(reference)}, ${JSON.stringify(wanted.kind + fragment + ROOM)})`
}

const QUOTE = '["\'`]'
const CALLS = new RegExp(
  `${CALL}\\(\\s*${QUOTE}([\\w.$-]+)${QUOTE}\\s*,\\s*${QUOTE}(source|url|path)(#[^"'\`~]*)?~*${QUOTE}\\s*\\)`,
  'g',
)

interface Output {
  readonly path: string
  readonly isModule: boolean
  /** It has a source map, which must stay right: what is shorter is filled up with spaces. */
  readonly isMapped: boolean
}

/** The code of an output with its task modules. `pathOf`: of the file of a reference. */
export function withUrls(code: string, output: Output, pathOf: (reference: string) => string): string {
  return code.replace(CALLS, (call, reference: string, kind: Wanted['kind'], fragment?: string) => {
    const way = wayFrom(output.path, pathOf(reference))
    const wanted = { kind, file: '', ...(fragment !== undefined && { fragment }) }
    return expressionOf(way, wanted, output.isModule).padEnd(output.isMapped ? call.length : 0)
  })
}

/** The code of an output that names files as if they lay beside it, with the ways to where they lie. */
export function withWays(code: string, output: string, paths: ReadonlyMap<string, string>): string {
  let found = code
  for (const [name, path] of paths) {
    const way = asUrl(wayFrom(output, path))
    if (way !== `./${name}`)
      for (const quote of ['"', "'", '`']) found = found.replaceAll(`${quote}./${name}`, quote + way)
  }
  return found
}

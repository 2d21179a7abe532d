// The task modules that files of a program name, whether these are sources or what a bundler wrote.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { placesIn, sourceOf } from '../../bundling/find-task-modules.js'
import { checkOption } from '../../errors/check-options.js'

export type Kind = 'threads' | 'processes'

/** A task module, and where it is named. */
export interface NamedModule {
  /** Path; of one that is missing what it should be. */
  readonly file: string
  readonly isMissing: boolean
  /** "src/pool.ts:12" */
  readonly places: readonly string[]
  /** In which it is to be loaded. */
  readonly kinds: readonly Kind[]
}

const CODE = /\.[mc]?[jt]sx?$|\.(?:vue|svelte|astro|mdx)$/
/** It imports threadwise, or a bundler has put that in. */
const USES_US = /["']threadwise(?:\/\w+)?["']|TW_ERR_START_FAILED/

/** @throws TW_ERR_INVALID_OPTION for a path where nothing is */
export function findModules(paths: readonly string[]): NamedModule[] {
  const found = new Map<string, NamedModule>()
  for (const path of paths.flatMap(filesBelow)) {
    const code = readFileSync(path, 'utf8')
    if (!USES_US.test(code)) continue
    for (const { start, files } of placesIn(code, path)) {
      const file = files.map(sourceOf).find((each) => each !== undefined)
      const place = `${relative('', path).replaceAll('\\', '/')}:${code.slice(0, start).split('\n').length}`
      add(found, { file: file ?? files[0]!, isMissing: file === undefined, places: [place], kinds: kindsFor(code, start) }) // prettier-ignore
    }
  }
  return [...found.values()]
}

function add(found: Map<string, NamedModule>, module: NamedModule): void {
  const before = found.get(module.file)
  const places = [...(before?.places ?? []), ...module.places]
  const kinds = [...new Set([...(before?.kinds ?? []), ...module.kinds])]
  found.set(module.file, { ...module, places, kinds })
}

/** Those of packages are left out. */
function filesBelow(path: string): string[] {
  const whole = resolve(path)
  checkOption(existsSync(whole), 'FILES', 'files and folders that exist', path)
  if (!statSync(whole).isDirectory()) return [whole]
  return readdirSync(whole, { recursive: true, encoding: 'utf8' })
    .filter(
      (each) => CODE.test(each) && !/\.d\.[mc]?ts$/.test(each) && !/(^|[\\/])node_modules[\\/]/.test(each),
    )
    .map((each) => join(whole, each))
}

/** By the call that the place stands in; else both: a variable, or the names of a bundler, tell nothing. */
function kindsFor(code: string, start: number): Kind[] {
  const [, call] = /\b(\w+)\s*(?:<[^;()]*>)?\(\s*$/.exec(code.slice(Math.max(0, start - 200), start)) ?? []
  if (call === 'threads' || call === 'processes') return [call]
  return call === 'web' ? [] : ['threads', 'processes']
}

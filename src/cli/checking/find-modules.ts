// The task modules that files of a program name, whether these are sources or what a bundler wrote.

import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { placesIn, sourceOf } from '../../bundling/find-task-modules.js'
import { checkOption } from '../../errors/check-options.js'

export type WorkerKind = 'threads' | 'processes'

/** A task module, and where it is named. */
export interface NamedModule {
  /** Path; of one that is missing what it should be. */
  readonly file: string
  readonly isMissing: boolean
  /** "src/pool.ts:12" */
  readonly places: readonly string[]
  /** In which it is to be loaded. */
  readonly kinds: readonly WorkerKind[]
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
      if (file === undefined && isCommentedOut(code, start)) continue
      const place = `${relative('', path).replaceAll('\\', '/')}:${code.slice(0, start).split('\n').length}`
      add(found, {
        file: file ?? files[0]!,
        isMissing: file === undefined,
        places: [place],
        kinds: kindsFor(code, start),
      })
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

/** After code in its line. In a text it looks the same, so what exists is never taken for a comment. */
function isCommentedOut(code: string, start: number): boolean {
  return /(?:^|\s)\/\//.test(code.slice(code.lastIndexOf('\n', start) + 1, start))
}

function filesBelow(path: string): string[] {
  const whole = resolve(path)
  const stats = statSync(whole, { throwIfNoEntry: false })
  const isFolder = stats?.isDirectory() === true
  checkOption(isFolder || stats?.isFile() === true, 'FILES', 'files and folders that exist', path)
  return isFolder ? codeIn(whole, new Set()) : [whole]
}

/** Files of code; a folder that two links lead to counts once. Those of packages are left out, and so is what is no file. */
function codeIn(folder: string, seen: Set<string>): string[] {
  const real = realpathSync(folder)
  if (seen.has(real)) return []
  seen.add(real)
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    const stats = existsSync(path) ? statSync(path) : undefined // a link may lead nowhere, or to itself
    if (stats?.isDirectory()) return name === 'node_modules' || name === '.git' ? [] : codeIn(path, seen)
    return stats?.isFile() && CODE.test(name) && !/\.d\.[mc]?ts$/.test(name) ? [path] : []
  })
}

/** By the call that the place stands in; else both: a variable, or the names of a bundler, tell nothing. */
function kindsFor(code: string, start: number): WorkerKind[] {
  const [, call] = /\b(\w+)\s*(?:<[^;()]*>)?\(\s*$/.exec(code.slice(Math.max(0, start - 200), start)) ?? []
  if (call === 'threads' || call === 'processes') return [call]
  return call === 'web' ? [] : ['threads', 'processes']
}

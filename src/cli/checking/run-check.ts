// `threadwise check`: loads each task module where a worker would, and says what does not work.

import { relative } from 'node:path'
import { writeResult } from '../terminal/write-result.js'
import { findModules, type NamedModule } from './find-modules.js'
import { loadModule, type LoadCheck } from './load-module.js'

/** What --json writes. */
export interface CheckResult {
  readonly version: 1
  readonly modules: readonly CheckedModule[]
}

interface CheckedModule {
  /** Path from the working directory. */
  readonly module: string
  readonly places: readonly string[]
  readonly loads: readonly LoadCheck[]
}

const MISSING = 'there is no such file, nor a source of it'

/** The exit code: 1 where a module does not load. */
export async function runCheck(paths: readonly string[], json: string | undefined): Promise<number> {
  const modules: CheckedModule[] = []
  for (const module of findModules(paths)) modules.push(await checkModule(module))
  const result: CheckResult = { version: 1, modules }
  writeResult(result, json, formatCheck)
  return modules.length > 0 && problemsOf(modules).length === 0 ? 0 : 1
}

async function checkModule({ file, isMissing, places, kinds }: NamedModule): Promise<CheckedModule> {
  const loads = isMissing
    ? kinds.map((executor) => ({ executor, problem: MISSING }))
    : await loadModule(file, kinds)
  return { module: relative('', file).replaceAll('\\', '/'), places, loads }
}

function problemsOf(modules: readonly CheckedModule[]): string[] {
  return modules.flatMap(({ module, places, loads }) => {
    const failed = loads.filter(({ problem }) => problem !== null)
    const texts = [...new Set(failed.map(({ problem }) => problem!))]
    return texts.map((text) => {
      const executors = failed.filter(({ problem }) => problem === text).map(({ executor }) => executor)
      return `${module} does not load in ${executors.join(' and ')}: ${text}\n  named in ${places.join(', ')}\n`
    })
  })
}

function formatCheck({ modules }: CheckResult): string {
  if (modules.length === 0)
    return "No task module is named there. Those are looked for that files name by new URL('./tasks.js', import.meta.url) or join(__dirname, 'tasks.js').\n"
  const good = modules.filter(({ loads }) => loads.every(({ problem }) => problem === null))
  const lines = good.map(
    ({ module, loads }) => `${module}: loads in ${loads.map(({ executor }) => executor).join(' and ')}\n`,
  )
  return [...lines, ...problemsOf(modules)].join('')
}

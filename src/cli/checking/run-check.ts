// `threadwise check`: loads each task module where a worker would, and says what does not work.

import { relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, isThreadwiseError } from '../../errors/errors.js'
import { processes } from '../../runtime/processes/processes-executor.js'
import { threads } from '../../runtime/threads/threads-executor.js'
import { writeResult } from '../terminal/write-result.js'
import { findModules, type Kind, type NamedModule } from './find-modules.js'

/** What --json writes. */
export interface CheckResult {
  readonly version: 1
  readonly modules: readonly CheckedModule[]
}

interface CheckedModule {
  /** Path from the working directory. */
  readonly module: string
  readonly places: readonly string[]
  readonly loads: readonly Load[]
}

interface Load {
  readonly executor: Kind
  /** Why it does not load; null: it does. */
  readonly problem: string | null
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
  const loads: Load[] = []
  for (const executor of kinds)
    loads.push({ executor, problem: isMissing ? MISSING : await problemIn(executor, file) })
  return { module: relative('', file).replaceAll('\\', '/'), places, loads }
}

const makers = { threads, processes }
/** What its workers print is not the result. */
const output = { stdout: process.stderr, stderr: process.stderr }

async function problemIn(executor: Kind, file: string): Promise<string | null> {
  const pool = makers[executor](pathToFileURL(file), { size: 1, output, onWorkerError: () => {} })
  try {
    await pool.ready
    return null
  } catch (error) {
    return isThreadwiseError(error) ? `${error.message} [${error.code}]` : describe(error)
  } finally {
    await pool.destroy()
  }
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

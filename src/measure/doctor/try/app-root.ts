// Where an app begins: the folder of its package, that of its repository, and how it is built.

import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { runProgram } from '../../checkout/run-program.js'

/** The nearest folder above with a package.json; without one the folder itself. */
export function appRoot(folder: string): string {
  const real = realpathSync(folder)
  let above = real
  while (!existsSync(join(above, 'package.json'))) {
    if (dirname(above) === above) return real
    above = dirname(above)
  }
  return above
}

/** Null: there is none, or no git. */
export async function gitRoot(folder: string): Promise<string | null> {
  const { isDone, output } = await runProgram('git', ['rev-parse', '--show-toplevel'], { cwd: folder })
  return isDone ? realpathSync(output.trim()) : null
}

/** Those of these files that git is told to ignore, where it does not ignore the whole folder: as a rule another program writes them. */
export async function ignoredByGit(folder: string, files: readonly string[]): Promise<string[]> {
  const { output } = await runProgram('git', ['check-ignore', '--', '.', ...files], { cwd: folder })
  const ignored = output.split('\n').filter((line) => line !== '')
  return ignored.includes('.') ? [] : ignored
}

/** Null: all that git knows is as it was committed; otherwise why not. */
export async function whyNotClean(folder: string): Promise<string | null> {
  if ((await gitRoot(folder)) === null) return 'there is no git repository'
  const { isDone, output, problem } = await runProgram(
    'git',
    ['status', '--porcelain', '--untracked-files=no'],
    { cwd: folder },
  )
  if (!isDone) return problem
  const [first] = output.split('\n')
  return first === '' || first === undefined ? null : `${first.slice(3)} is changed`
}

/** Files that start the app: words of its command, and of the scripts of its package. */
export function entriesOf(root: string, command: readonly string[]): string[] {
  const { main, scripts = {} } = packageAt(root)
  const words = [...command, main ?? '', ...Object.values(scripts).flatMap((line) => line.split(/\s+/))]
  const paths = words.flatMap((word) => (word === '' ? [] : [resolve(word), resolve(root, word)]))
  return [...new Set(paths)].filter((path) => /\.[cm]?[jt]sx?$/.test(path) && existsSync(path))
}

/** `npm run build`, where the package has that script. */
export function buildCommand(root: string): readonly string[] | null {
  return packageAt(root).scripts?.build === undefined ? null : ['npm', 'run', 'build']
}

interface PackageFile {
  readonly main?: string
  readonly scripts?: Record<string, string>
}

function packageAt(root: string): PackageFile {
  try {
    return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as PackageFile
  } catch {
    return {}
  }
}

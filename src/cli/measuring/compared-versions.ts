// Which versions the command line means, and what it makes for them: another state of the repository, other versions of Node.

import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { checkOption } from '../../errors/check-options.js'
import { ThreadwiseError } from '../../errors/errors.js'
import { inCheckout, openCheckout, type Checkout } from '../../measure/checkout/checkout.js'
import { openNodes } from '../../measure/checkout/node-versions.js'
import type { VersionOptions } from '../../measure/compare/options.js'

export interface VersionFlags {
  task?: string[]
  variants?: string[]
  against?: string
  build?: string
  node?: string[]
  server?: boolean
  with?: string[]
}

export interface ComparedVersions {
  readonly versions: VersionOptions[]
  /** Removes what was made for them. */
  readonly release: () => void
}

interface Surroundings {
  readonly signal: AbortSignal
  readonly note: (text: string) => void
}

/** @throws TW_ERR_INVALID_OPTION, TW_ERR_VERSION_UNAVAILABLE */
export async function comparedVersions(
  files: readonly string[],
  flags: VersionFlags,
  surroundings: Surroundings,
): Promise<ComparedVersions> {
  const { against, build, node, with: sets } = flags
  checkOption(build === undefined || against !== undefined, 'build', 'used together with --against', build)
  const ways = [against, node, sets].filter((way) => way !== undefined)
  checkOption(ways.length <= 1, 'versions', 'one of --against, --node and --with: one difference at a time', ways) // prettier-ignore
  if (against !== undefined) return versionsAgainst(files, { ...flags, against }, surroundings)
  if (node !== undefined) return versionsOfNode(files, { ...flags, node }, surroundings)
  if (sets !== undefined) return { versions: versionsWith(files, { ...flags, with: sets }), release() {} }
  return { versions: versionsHere(files, flags), release: () => {} }
}

function versionsHere(files: readonly string[], { task = [], variants }: VersionFlags): VersionOptions[] {
  const isAlone = variants === undefined || task.length === 0
  checkOption(isAlone, 'variants', 'used without --task: they are those of a workload file', variants)
  if (files.length > 1) {
    checkOption(task.length <= 1, 'task', 'given once where there are several files', task)
    checkOption(variants === undefined, 'variants', 'used with one workload file', variants)
    return files.map((file) => ({ file, task: task[0] }))
  }
  const file = files[0]!
  const names = variants ?? task
  const expected = 'two: --task twice, --variants short,joined, two files, --against REF, --node twice, or --with NAME=VALUE' // prettier-ignore
  checkOption(names.length >= 2, 'versions', expected, names.length === 0 ? file : names)
  return names.map((name) => (variants ? { file, variant: name } : { file, task: name }))
}

/** All files are those of each version: one, or a suite. */
function oneOfEach(option: string, files: readonly string[], { task = [], variants }: VersionFlags) {
  checkOption(task.length <= 1 && variants === undefined, option, 'used with one --task, and no --variants', task) // prettier-ignore
  checkOption(files.length === 1 || task.length === 0, option, 'used with one file, or with several workload files', files) // prettier-ignore
  return { file: files.length === 1 ? files[0]! : files, task: task[0] }
}

async function versionsOfNode(
  files: readonly string[],
  flags: VersionFlags & { node: string[] },
  { signal, note }: Surroundings,
): Promise<ComparedVersions> {
  const { node } = flags
  const each = oneOfEach('node', files, flags)
  checkOption(node.length >= 2, 'node', 'given at least twice: the old version first', node)
  const { paths, release } = await openNodes(node, { signal, note })
  return { versions: paths.map((path, i) => ({ ...each, node: path, name: `Node ${node[i]}` })), release }
}

/** The old version is the one without. */
function versionsWith(files: readonly string[], flags: VersionFlags & { with: string[] }): VersionOptions[] {
  const each = oneOfEach('with', files, flags)
  return [{ ...each, name: 'without' }, ...flags.with.map((set) => ({ ...each, name: set, env: variablesOf(set) }))] // prettier-ignore
}

/** `A=1 B=2`; a value ends where the next name begins, so that options of Node may have spaces between them. */
function variablesOf(set: string): Record<string, string> {
  const parts = set.trim().split(/\s+(?=[A-Za-z_]\w*=)/)
  const entries = parts.map((part) => /^([A-Za-z_]\w*)=(.*)$/s.exec(part))
  checkOption(entries.every((entry) => entry !== null), 'with', "NAME=VALUE, such as NODE_OPTIONS=--max-semi-space-size=64; several with a space between", set) // prettier-ignore
  return Object.fromEntries(entries.map((entry) => [entry![1]!, entry![2]!]))
}

async function versionsAgainst(
  files: readonly string[],
  flags: VersionFlags & { against: string },
  { signal, note }: Surroundings,
): Promise<ComparedVersions> {
  const { task = [], against, build, server } = flags
  const each = oneOfEach('against', files, flags)
  checkOption(against !== '' && !against.startsWith('-'), 'against', 'a branch, tag or commit', against)
  for (const file of files) checkOption(existsSync(file), 'file', 'a file that exists', file)
  const words = build === undefined ? null : wordsOf(build)
  const checkout = await openCheckout({ folder: process.cwd(), ref: against, build: words, signal, note })
  const release = () => checkout.remove()
  try {
    const old = files.map((file) =>
      oldFile(file, { checkout, ref: against, isWorkload: task.length === 0 && server !== true }),
    )
    const cwd = inCheckout(checkout, `${process.cwd()}/x`)
    const isThere = cwd !== null && existsSync(dirname(cwd))
    const there = { name: against, ref: checkout.commit, ...(isThere && { cwd: dirname(cwd) }) }
    const versions: VersionOptions[] = [
      { ...each, ...there, file: old.length === 1 ? old[0]! : old },
      { ...each, name: 'working tree' },
    ]
    return { versions, release }
  } catch (error) {
    release()
    throw error
  }
}

/** The workload is that of today in both versions: the same inputs, and it need not have been there. */
function oldFile(
  file: string,
  { checkout, ref, isWorkload }: { checkout: Checkout; ref: string; isWorkload: boolean },
): string {
  const old = inCheckout(checkout, file)
  if (old === null) throw unavailable(ref, `${file} is no file of the repository at ${checkout.root}`)
  if (isWorkload) {
    mkdirSync(dirname(old), { recursive: true })
    copyFileSync(file, old)
  }
  if (!existsSync(old)) throw unavailable(ref, `it has no file ${relative(checkout.folder, old)}; if that is built, add --build COMMAND`) // prettier-ignore
  return old
}

function unavailable(ref: string, reason: string): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_VERSION_UNAVAILABLE', { ref, reason })
}

/** Words of a command, with quotes around those that hold spaces. No shell reads them. */
function wordsOf(command: string): string[] {
  const words = [...command.matchAll(/"([^"]*)"|'([^']*)'|([^\s"']+)/g)].map(
    ([, a, b, c]) => a ?? b ?? c ?? '',
  )
  checkOption(words.length > 0, 'build', "a command, such as 'npm run build'", command)
  return words
}

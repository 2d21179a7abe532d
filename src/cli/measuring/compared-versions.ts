// Which versions the command line means, and the other state of the repository where it names one.

import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { checkOption } from '../../errors/check-options.js'
import { ThreadwiseError } from '../../errors/errors.js'
import { inCheckout, openCheckout, type Checkout } from '../../measure/checkout/checkout.js'
import type { VersionOptions } from '../../measure/compare/options.js'

export interface VersionFlags {
  task?: string[]
  variants?: string[]
  against?: string
  build?: string
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
  const { against, build } = flags
  checkOption(build === undefined || against !== undefined, 'build', 'used together with --against', build)
  if (against === undefined) return { versions: versionsHere(files, flags), release: () => {} }
  return versionsAgainst(files, { ...flags, against }, surroundings)
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
  const expected = 'two: --task twice, --variants short,joined, two files, or --against REF'
  checkOption(names.length >= 2, 'versions', expected, names.length === 0 ? file : names)
  return names.map((name) => (variants ? { file, variant: name } : { file, task: name }))
}

async function versionsAgainst(
  files: readonly string[],
  { task = [], variants, against, build }: VersionFlags & { against: string },
  { signal, note }: Surroundings,
): Promise<ComparedVersions> {
  checkOption(files.length === 1, 'against', 'used with one file', files)
  checkOption(task.length <= 1 && variants === undefined, 'against', 'used with one --task, and no --variants', task) // prettier-ignore
  checkOption(against !== '' && !against.startsWith('-'), 'against', 'a branch, tag or commit', against)
  const file = files[0]!
  checkOption(existsSync(file), 'file', 'a file that exists', file)
  const words = build === undefined ? null : wordsOf(build)
  const checkout = await openCheckout({ folder: process.cwd(), ref: against, build: words, signal, note })
  const release = () => checkout.remove()
  try {
    const old = oldFile(file, { checkout, ref: against, isWorkload: task.length === 0 })
    const cwd = inCheckout(checkout, `${process.cwd()}/x`)
    const versions: VersionOptions[] = [
      {
        file: old,
        task: task[0],
        name: against,
        ref: checkout.commit,
        ...(cwd !== null && { cwd: dirname(cwd) }),
      },
      { file, task: task[0], name: 'working tree' },
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

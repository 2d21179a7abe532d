// A version that is another state of the repository: the same files, in a checkout of their own.

import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { checkOption } from '../../errors/check-options.js'
import { ThreadwiseError } from '../../errors/errors.js'
import { inCheckout, openCheckout, type Checkout } from '../../measure/checkout/checkout.js'
import type { VersionOptions } from '../../measure/compare/options.js'
import { commandWords } from './command-words.js'

export interface CheckedOutFlags {
  /** A branch, tag or commit. */
  readonly ref: string
  /** What it is called. Default: the ref. */
  readonly name?: string
  readonly task?: string[] | undefined
  readonly variants?: string[] | undefined
  readonly build?: string | undefined
  readonly server?: boolean | undefined
}

export interface CheckoutEvents {
  readonly signal: AbortSignal
  readonly note: (text: string) => void
}

export interface CheckedOut {
  readonly version: VersionOptions
  /** Removes the checkout. */
  readonly release: () => void
}

/** @throws TW_ERR_INVALID_OPTION, TW_ERR_VERSION_UNAVAILABLE */
export async function checkedOutVersion(
  files: readonly string[],
  flags: CheckedOutFlags,
  { signal, note }: CheckoutEvents,
): Promise<CheckedOut> {
  const { task = [], ref, name = ref, build, server } = flags
  const each = oneOfEach('against', files, flags)
  checkOption(ref !== '' && !ref.startsWith('-'), 'against', 'a branch, tag or commit', ref)
  for (const file of files) checkOption(existsSync(file), 'file', 'a file that exists', file)
  const words = build === undefined ? null : commandWords('build', build)
  const checkout = await openCheckout({ folder: process.cwd(), ref, build: words, signal, note })
  const release = () => checkout.remove()
  try {
    const isWorkload = task.length === 0 && server !== true
    const old = files.map((file) => oldFile(file, { checkout, ref, isWorkload }))
    const cwd = inCheckout(checkout, `${process.cwd()}/x`)
    const isThere = cwd !== null && existsSync(dirname(cwd))
    const there = { name, ref: checkout.commit, ...(isThere && { cwd: dirname(cwd) }) }
    return { version: { ...each, ...there, file: old.length === 1 ? old[0]! : old }, release }
  } catch (error) {
    release()
    throw error
  }
}

/** All files are those of each version: one, or a suite. */
export function oneOfEach(
  option: string,
  files: readonly string[],
  { task = [], variants }: Pick<CheckedOutFlags, 'task' | 'variants'>,
) {
  checkOption(
    task.length <= 1 && variants === undefined,
    option,
    'used with one --task, and no --variants',
    task,
  )
  checkOption(
    files.length === 1 || task.length === 0,
    option,
    'used with one file, or with several workload files',
    files,
  )
  return { file: files.length === 1 ? files[0]! : files, task: task[0] }
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
  if (!existsSync(old))
    throw unavailable(
      ref,
      `it has no file ${relative(checkout.folder, old)}; if that is built, add --build COMMAND`,
    )
  return old
}

function unavailable(ref: string, reason: string): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_VERSION_UNAVAILABLE', { ref, reason })
}

// Another state of the user's repository in a temporary folder: a worktree of git, with its dependencies, built if need be.
//
//   user's checkout    untouched: its files, index, stash and hooks
//   .git/worktrees/N   what git notes of the worktree; removed with it
//   /tmp/N             the files of the other state; node_modules are links, or installed there
//
// Nothing is left behind: a run removes both, and when it is killed a shell that waits for its end does.

import { mkdtempSync, realpathSync, rmSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { ThreadwiseError } from '../../errors/errors.js'
import { addDependencies } from './dependencies.js'
import { removedWithUs } from './removed-with-us.js'
import { runProgram } from './run-program.js'
import { addSubmodules } from './submodules.js'

export interface CheckoutPlan {
  /** A folder of the repository. */
  readonly folder: string
  /** A branch, tag or commit. */
  readonly ref: string
  /** A command that builds what is compared, as words; it runs in the folder of the worktree that is this one. */
  readonly build: readonly string[] | null
  readonly signal: AbortSignal | undefined
  /** Told what takes long. */
  readonly note: (text: string) => void
}

export interface Checkout {
  /** Of the repository, and of the other state. */
  readonly root: string
  readonly folder: string
  readonly commit: string
  readonly remove: () => void
}

/** @throws TW_ERR_VERSION_UNAVAILABLE, and then nothing is left behind; the reason of the signal */
export async function openCheckout(plan: CheckoutPlan): Promise<Checkout> {
  const { ref, signal, build, note } = plan
  const { root, commit, common } = await findCommit(plan)
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'threadwise-compare-')))
  const records = join(common, 'worktrees')
  const record = join(records, basename(folder)) // git names it by the folder
  const tellRemoved = removedWithUs(folder, record, records)
  const remove = () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    rmSync(record, { recursive: true, force: true })
    removeIfEmpty(records)
    tellRemoved()
  }
  try {
    // Hooks are the user's: none of them is to hear of this.
    const add = ['-c', 'core.hooksPath=/dev/null', 'worktree', 'add', '--detach', '--force', folder, commit]
    const added = await runProgram('git', add, { cwd: root, signal })
    signal?.throwIfAborted()
    if (!added.isDone) throw unavailable(ref, `git worktree add failed: ${added.problem}`)
    await addSubmodules({ ref, root, folder, signal })
    await addDependencies({ ref, root, folder, signal, note })
    if (build) await runBuild(plan, build, { root, folder })
    signal?.throwIfAborted()
    return { root, folder, commit, remove }
  } catch (error) {
    remove()
    throw error
  }
}

interface Found {
  readonly root: string
  readonly commit: string
  /** What all worktrees share. */
  readonly common: string
}

/** @throws TW_ERR_VERSION_UNAVAILABLE */
export async function findCommit({
  folder,
  ref,
  signal,
}: Pick<CheckoutPlan, 'folder' | 'ref' | 'signal'>): Promise<Found> {
  const git = (...args: string[]) => runProgram('git', args, { cwd: folder, signal })
  const top = await git('rev-parse', '--show-toplevel')
  signal?.throwIfAborted()
  if (!top.isDone) throw unavailable(ref, whyNoRepository(top.problem, folder))
  const root = realpathSync(lineOf(top.output))
  // In a checkout of CI a branch is often only known as that of the remote.
  for (const name of [ref, `origin/${ref}`]) {
    const found = await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`)
    if (!found.isDone) continue
    const common = await git('rev-parse', '--git-common-dir')
    return {
      root,
      commit: lineOf(found.output),
      common: realpathSync(resolve(folder, lineOf(common.output))),
    }
  }
  const shallow = await git('rev-parse', '--is-shallow-repository')
  const branches = await git(
    'for-each-ref',
    '--count=10',
    '--sort=-committerdate',
    '--format=%(refname:short)',
    'refs/heads',
    'refs/remotes',
    'refs/tags',
  )
  throw unavailable(ref, whyNoCommit(lineOf(shallow.output) === 'true', branches.output))
}

function whyNoRepository(problem: string, folder: string): string {
  if (/ENOENT/.test(problem)) return 'git is not installed, or not on the PATH'
  if (/dubious ownership/.test(problem))
    return `git does not trust ${folder}, which belongs to another user (${problem})`
  return `${folder} lies in no git repository; compare two files instead: threadwise compare old/FILE new/FILE`
}

function whyNoCommit(isShallow: boolean, known: string): string {
  if (isShallow)
    return 'this is a shallow clone, which does not hold it. Get the history: git fetch --unshallow, or fetch-depth: 0 of actions/checkout'
  const names = known.split('\n').filter((name) => name !== '')
  const list = names.length === 0 ? '' : `; there are ${names.join(', ')}`
  return `there is no such branch, tag or commit${list}`
}

async function runBuild(
  { folder: cwd, ref, signal, note }: CheckoutPlan,
  [file, ...args]: readonly string[],
  { root, folder }: { root: string; folder: string },
): Promise<void> {
  note(`Building ${ref}: ${[file, ...args].join(' ')} ...`)
  const place = join(folder, realpathSync(cwd).slice(root.length))
  const built = await runProgram(file!, args, { cwd: place, signal })
  signal?.throwIfAborted()
  if (!built.isDone)
    throw unavailable(ref, `its build failed (${[file, ...args].join(' ')}): ${built.problem}`)
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // the user has worktrees of his own
  }
}

export function unavailable(ref: string, reason: string): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_VERSION_UNAVAILABLE', { ref, reason })
}

function lineOf(output: string): string {
  return output.replace(/\r?\n$/, '')
}

/** Where a file of the repository lies in the other state. */
export function inCheckout({ root, folder }: Pick<Checkout, 'root' | 'folder'>, file: string): string | null {
  const path = join(realpathSync(dirname(file)), basename(file))
  return path.startsWith(`${root}/`) || path.startsWith(`${root}\\`)
    ? join(folder, path.slice(root.length))
    : null
}

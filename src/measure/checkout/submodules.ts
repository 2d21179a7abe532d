// The submodules of another state, from the commits that the user's clone of them already holds: nothing is fetched.

import { join } from 'node:path'
import { ThreadwiseError } from '../../errors/errors.js'
import { runProgram } from './run-program.js'

interface Place {
  readonly ref: string
  /** Of the user's checkout, and of the other state. */
  readonly root: string
  readonly folder: string
  readonly signal: AbortSignal | undefined
}

/** @throws TW_ERR_VERSION_UNAVAILABLE */
export async function addSubmodules(place: Place): Promise<void> {
  const { ref, root, folder, signal } = place
  for (const { path, commit } of await submodulesOf(place)) {
    const own = join(root, path)
    const held = await runProgram('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: own, signal })
    const isOwn = await runProgram('git', ['rev-parse', '--show-prefix'], { cwd: own, signal })
    // Of a submodule that was never fetched the folder is empty, and belongs to the repository around it.
    if (!held.isDone || isOwn.output.trim() !== '') {
      const fix = `git submodule update --init ${path}; then: git -C ${path} fetch origin ${commit}`
      throw unavailable(
        ref,
        `the commit ${commit.slice(0, 12)} of its submodule ${path} is not here. Get it: ${fix}`,
      )
    }
    const target = join(folder, path)
    const clone = [
      '-c',
      'core.hooksPath=/dev/null',
      'clone',
      '--quiet',
      '--shared',
      '--no-checkout',
      own,
      target,
    ]
    const cloned = await runProgram('git', clone, { cwd: folder, signal })
    const checkOut = ['-c', 'core.hooksPath=/dev/null', 'checkout', '--quiet', '--detach', commit]
    const done = cloned.isDone ? await runProgram('git', checkOut, { cwd: target, signal }) : cloned
    signal?.throwIfAborted()
    if (!done.isDone)
      throw unavailable(ref, `its submodule ${path} could not be checked out: ${done.problem}`)
    await addSubmodules({ ...place, root: own, folder: target })
  }
}

async function submodulesOf({ folder, signal }: Place): Promise<{ path: string; commit: string }[]> {
  const listed = await runProgram('git', ['ls-tree', '-r', '-z', 'HEAD'], { cwd: folder, signal })
  return listed.output.split('\0').flatMap((line) => {
    const [, commit, path] = /^160000 commit ([0-9a-f]+)\t(.+)$/s.exec(line) ?? []
    return commit === undefined || path === undefined ? [] : [{ path, commit }]
  })
}

function unavailable(ref: string, reason: string): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_VERSION_UNAVAILABLE', { ref, reason })
}

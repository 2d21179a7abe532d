// The commits between two states of the user's repository, as git knows them. Nothing is checked out.

import type { CommitFacts } from '../results/compare-result.js'
import { findCommit, unavailable } from './checkout.js'
import { runProgram } from './run-program.js'

export interface CommitRange {
  readonly good: string
  readonly bad: string
  /** Those that `bad` has and none of `goods`, with `bad` itself: the one that parts them best comes first. */
  suspects(bad: string, goods: readonly string[]): Promise<string[]>
  factsOf(commit: string): Promise<CommitFacts>
  /** Null: it has none here. */
  parentOf(commit: string): Promise<string | null>
}

interface Place {
  readonly folder: string
  readonly signal: AbortSignal | undefined
}

/** @throws TW_ERR_VERSION_UNAVAILABLE where one of them is not here, or `good` is no ancestor of `bad`; the reason of the signal */
export async function openRange(good: string, bad: string, { folder, signal }: Place): Promise<CommitRange> {
  const git = async (...args: string[]) => {
    const ran = await runProgram('git', args, { cwd: folder, signal })
    signal?.throwIfAborted()
    return ran
  }
  const from = (await findCommit({ folder, ref: good, signal })).commit
  const to = (await findCommit({ folder, ref: bad, signal })).commit
  if (from === to) throw unavailable(good, `it is the same commit as ${bad}`)
  const isAncestor = await git('merge-base', '--is-ancestor', from, to)
  if (!isAncestor.isDone) {
    const shared = (await git('merge-base', from, to)).output.trim()
    const fix =
      shared === ''
        ? `they have no commit in common`
        : `their last common commit is ${shared.slice(0, 12)}: --bisect ${shared.slice(0, 12)}..${bad}`
    throw unavailable(good, `it is no ancestor of ${bad}; ${fix}`)
  }
  return {
    good: from,
    bad: to,
    async suspects(last, goods) {
      const listed = await git('rev-list', '--bisect-all', last, ...goods.map((commit) => `^${commit}`))
      return listed.output.split('\n').flatMap((line) => /^[0-9a-f]{40,64}/.exec(line)?.[0] ?? [])
    },
    async factsOf(commit) {
      const shown = await git('show', '--no-patch', '--format=%s%x00%an%x00%aI', commit)
      const [subject = '', author = '', date = ''] = shown.output.trim().split('\0')
      return { commit, subject, author, date }
    },
    async parentOf(commit) {
      const found = await git('rev-parse', '--verify', '--quiet', `${commit}^`)
      return found.isDone ? found.output.trim() : null
    },
  }
}

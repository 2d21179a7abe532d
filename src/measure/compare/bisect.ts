// Finds the commit with which a difference came, as `git bisect` does: by halves, past those that cannot be tested.
//
//   good --o--o--o--o--o-- bad        one of (good, bad] is the first bad one
//              ^ tested: good -> it is right of here; bad -> it is this one or left of it; skipped -> the next best is tested

import type { BisectFacts } from '../results/compare-result.js'

export type Tested = { readonly isBad: boolean } | { readonly skipped: string }

export interface BisectOutside {
  /** Commits that `bad` has and none of `goods`, with `bad` itself; the one that parts them best comes first. */
  suspects(bad: string, goods: readonly string[]): Promise<readonly string[]>
  test(commit: string): Promise<Tested>
  /** Told before each test how many commits are left. */
  onStep?(left: number): void
}

export interface Bisected {
  /** The first bad commit alone; or those among which it is, since all but the last were skipped. */
  readonly suspects: readonly string[]
  /** Why a commit was not tested. */
  readonly skipped: ReadonlyMap<string, string>
}

export async function bisect(good: string, bad: string, outside: BisectOutside): Promise<Bisected> {
  const goods = [good]
  const skipped = new Map<string, string>()
  let worst = bad
  for (;;) {
    const suspects = await outside.suspects(worst, goods)
    const next = suspects.find((commit) => commit !== worst && !skipped.has(commit))
    if (next === undefined)
      return { suspects: [worst, ...suspects.filter((commit) => commit !== worst)], skipped }
    outside.onStep?.(suspects.length)
    const tested = await outside.test(next)
    if ('skipped' in tested) skipped.set(next, tested.skipped)
    else if (tested.isBad) worst = next
    else goods.push(next)
  }
}

/** @param expected what the bad commit misses, such as `slower<5%` */
export function bisectSentence({ first, suspects, skipped, metric }: BisectFacts, expected: string): string {
  if (first !== null) {
    const { commit, subject, author, date } = first
    return `The first commit with more than half of the difference in ${metric} is ${commit.slice(0, 10)}, "${subject}" (${author}, ${date.slice(0, 10)}).`
  }
  if (suspects.length === 0) return `Nothing to find: it is not sure that ${expected} is missed.`
  const names = suspects.slice(0, MOST).map((commit) => commit.slice(0, 10))
  const more = suspects.length > MOST ? ` and ${suspects.length - MOST} more` : ''
  return `The commit is one of ${names.join(', ')}${more}: ${skipped.length} could not be tested.`
}

/** Of commits in a sentence. */
const MOST = 8

// The program of the posts experiment: one call streams all posts of the folder, and every one is accounted for.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Executor } from '../../index.js'
import type * as tasks from '../tasks/read-posts.js'
import type { PostParts, PostPart } from '../tasks/read-posts.js'

export interface PostsPlan {
  /** Of the posts. */
  readonly folder: string
  /** Holds the names of the posts, and what each must give. */
  readonly work: string
  readonly packages: PostParts
  /** Streams that are open at a time. */
  readonly streams: number
}

export const LIST_FILE = 'posts.json'
export const OUTCOME_FILE = 'outcome.json'

const POSTS_PER_STREAM = 25
/** Parts that a worker may be ahead: of a whole share, so that it never waits for a busy main thread. */
const AHEAD = 2 * POSTS_PER_STREAM

export async function start(executor: Executor, plan: PostsPlan): Promise<() => Promise<void>> {
  const { folder, work, packages, streams } = plan
  const files = JSON.parse(readFileSync(join(work, LIST_FILE), 'utf8')) as string[]
  const expected = readFileSync(join(work, OUTCOME_FILE), 'utf8')
  return async () => {
    const outcomes = new PostOutcomes()
    let next = 0
    const readShares = async () => {
      while (next < files.length) {
        const share = { folder, files: files.slice(next, (next += POSTS_PER_STREAM)), packages }
        const stream = (executor as Executor<Tasks>).stream('readPosts', [share], { highWaterMark: AHEAD })
        for await (const part of stream) outcomes.add(part)
      }
    }
    await Promise.all(Array.from({ length: streams }, readShares))
    if (outcomes.toJson() !== expected)
      throw new Error('the posts that arrived are not those of a plain loop')
  }
}

type Tasks = typeof tasks

// What became of each post: how it is checked that all of them arrive, whole or as a problem, whatever their order.

interface Outcome {
  title?: unknown
  length?: number
  problem?: string
}

export class PostOutcomes {
  readonly #byFile = new Map<string, Outcome>()

  add(part: PostPart): void {
    const outcome = this.#byFile.get(part.file) ?? {}
    if ('problem' in part) outcome.problem = part.problem
    else if ('content' in part) outcome.length = part.content.length
    else outcome.title = part.frontMatter.title
    this.#byFile.set(part.file, outcome)
  }

  get broken(): { readonly file: string; readonly problem: string }[] {
    return this.#sorted().flatMap(([file, { problem }]) => (problem === undefined ? [] : { file, problem }))
  }

  toJson(): string {
    return JSON.stringify(this.#sorted())
  }

  #sorted(): [string, Outcome][] {
    return [...this.#byFile].sort(([a], [b]) => (a < b ? -1 : 1))
  }
}

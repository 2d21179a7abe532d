// What became of each post: how it is checked that all of them arrive, whole or as a problem, whatever their order.

import type { PostPart } from './tasks/read-posts.js'

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

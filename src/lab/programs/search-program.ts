// The program of the search experiment: one call is one search through all texts, and its result is checked.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Executor } from '../../index.js'
import { mapReduce } from '../../parallel.js'
import type * as tasks from '../tasks/search-texts.js'
import { rank, textsOf, type Hit } from '../tasks/search-texts.js'

export interface SearchPlan {
  /** A plain loop; or batches of texts that each worker has; or batches of texts that are sent. */
  readonly way: 'loop' | 'kept' | 'sent'
  /** Holds the texts, and what the plain loop finds in them. */
  readonly folder: string
  readonly count: number
  readonly words: readonly string[]
}

export const TEXTS_FILE = 'texts.txt'
export const FOUND_FILE = 'found.json'

const TEXTS_PER_BATCH = 1000

export async function start(executor: Executor, plan: SearchPlan): Promise<() => Promise<void>> {
  const search = searchOf(executor, plan)
  const expected = readFileSync(join(plan.folder, FOUND_FILE), 'utf8')
  return async () => {
    const found = JSON.stringify(await search())
    if (found !== expected) throw new Error(`the plain loop found ${expected}, this search ${found}`)
  }
}

function searchOf(executor: Executor, { way, folder, count, words }: SearchPlan): () => Promise<Hit[]> {
  const file = join(folder, TEXTS_FILE)
  if (way === 'loop') {
    const texts = textsOf(file)
    return async () => rank(texts, words, { first: 0, from: 0, to: count })
  }
  const ranges = Array.from({ length: Math.ceil(count / TEXTS_PER_BATCH) }, (_, i) => {
    return { from: i * TEXTS_PER_BATCH, to: Math.min(count, (i + 1) * TEXTS_PER_BATCH) }
  })
  if (way === 'kept') {
    const inputs = ranges.map((range) => ({ ...range, file, words }))
    return () => mapReduce(executor as Executor<Tasks>, { map: 'rankKept', reduce: 'mergeHits', inputs })
  }
  const texts = textsOf(file)
  const inputs = ranges.map(({ from, to }) => ({ from, texts: texts.slice(from, to), words }))
  return () => mapReduce(executor as Executor<Tasks>, { map: 'rankSent', reduce: 'mergeHits', inputs })
}

type Tasks = typeof tasks

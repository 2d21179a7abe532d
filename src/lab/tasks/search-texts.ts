// Tasks of the search experiment: rank the texts of one batch, and make one list of two.

import { readFileSync } from 'node:fs'

/** A batch of texts that the worker has, or reads at its first call. */
export interface KeptBatch {
  readonly file: string
  readonly from: number
  readonly to: number
  readonly words: readonly string[]
}

/** A batch of texts that come with the call. */
export interface SentBatch {
  readonly from: number
  readonly texts: readonly string[]
  readonly words: readonly string[]
}

export interface Hit {
  /** Number of the text. */
  readonly text: number
  readonly score: number
}

const SHOWN = 10

/** BM25 without the weights of words, which would need a pass of their own over all texts: how soon a word counts no more. */
const K1 = 1.2
const B = 0.75
/** The usual length of a text of the collection, in words. A constant, so that a score needs no other text. */
const USUAL_LENGTH = 12

const kept = new Map<string, string[]>()

/** The texts of the collection, one a line; read once in each thread. */
export function textsOf(file: string): string[] {
  let texts = kept.get(file)
  if (!texts) kept.set(file, (texts = readFileSync(file, 'utf8').split('\n')))
  return texts
}

export function rankKept({ file, from, to, words }: KeptBatch): Hit[] {
  return rank(textsOf(file), words, { first: 0, from, to })
}

export function rankSent({ from, texts, words }: SentBatch): Hit[] {
  return rank(texts, words, { first: from, from: 0, to: texts.length })
}

/** Associative: the order of hits is total, so it does not matter which lists meet first. */
export function mergeHits(a: readonly Hit[], b: readonly Hit[]): Hit[] {
  return [...a, ...b].sort(byRank).slice(0, SHOWN)
}

/** The best of `texts[from..to)`; `first` is the number of texts[0] in the collection. */
export function rank(
  texts: readonly string[],
  words: readonly string[],
  { first, from, to }: { first: number; from: number; to: number },
): Hit[] {
  const placeOf = new Map(words.map((word, place) => [word, place]))
  const counts = new Uint32Array(words.length)
  let best: Hit[] = []
  for (let i = from; i < to; i++) {
    const text = texts[i]!.toLowerCase()
    if (!words.some((word) => text.includes(word))) continue // most texts; to cut one into words takes ten times as long
    const score = scoreOf(text, placeOf, counts)
    if (score === 0) continue
    best.push({ text: first + i, score })
    if (best.length > 50 * SHOWN) best = best.sort(byRank).slice(0, SHOWN)
  }
  return best.sort(byRank).slice(0, SHOWN)
}

function scoreOf(text: string, placeOf: ReadonlyMap<string, number>, counts: Uint32Array): number {
  counts.fill(0)
  const all = text.split(' ')
  for (const word of all) {
    const place = placeOf.get(word)
    if (place !== undefined) counts[place]!++
  }
  let score = 0
  const damping = K1 * (1 - B + (B * all.length) / USUAL_LENGTH)
  for (const count of counts) score += (count * (K1 + 1)) / (count + damping)
  return score
}

function byRank(a: Hit, b: Hit): number {
  return b.score - a.score || a.text - b.text
}

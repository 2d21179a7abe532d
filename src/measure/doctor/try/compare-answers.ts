// Whether a changed app answers as before: what differs between answers of the unchanged one, such as dates and tokens, does not count.
//
// An answer is a list of words and of what is between them. A word that is another one in some answer of the unchanged app is masked.

import { createHash } from 'node:crypto'
import type { HttpAnswer } from './ask.js'

export interface ComparedAnswers {
  readonly compared: number
  readonly equal: number
  /** Those compared in which something was masked. */
  readonly masked: number
  /** The first difference; null: there is none. */
  readonly example: string | null
  /** A path whose answers differ so much from each other that they cannot be compared; null: there is none. */
  readonly unsteady: string | null
  /** A path to which the unchanged app gives only errors of its own, so that there is nothing to keep; null: there is none. */
  readonly failing: { readonly path: string; readonly status: number } | null
}

interface Seen {
  readonly answer: HttpAnswer
  count: number
}

export interface AnswerComparison {
  readonly before: (path: string, answer: HttpAnswer) => void
  readonly after: (path: string, answer: HttpAnswer) => void
  compare(): ComparedAnswers
}

/** Of a path; of more different ones the words that differ are known. */
const MOST_KEPT = 300
const NOW_MS = 36 * 3600 * 1000

export function createAnswers(): AnswerComparison {
  const before = new Map<string, Map<string, Seen>>()
  const after = new Map<string, Map<string, Seen>>()
  return {
    before: (path, answer) => add(before, path, answer),
    after: (path, answer) => add(after, path, answer),
    compare: () => compareAll(before, after),
  }
}

function add(all: Map<string, Map<string, Seen>>, path: string, answer: HttpAnswer): void {
  const known = all.get(path) ?? new Map<string, Seen>()
  all.set(path, known)
  const steady = { ...answer, text: withoutNow(answer.text) }
  const key = createHash('sha1').update(`${steady.status}\n${steady.text}`).digest('base64')
  const seen = known.get(key)
  if (seen) seen.count++
  else if (known.size < MOST_KEPT) known.set(key, { answer: steady, count: 1 })
}

/** Times near now are of the moment, also where two answers came within the same second. */
function withoutNow(text: string): string {
  const isNow = (time: number) => Math.abs(time - Date.now()) < NOW_MS
  return text
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?/g, (found) =>
      isNow(Date.parse(found)) ? '<time>' : found,
    )
    .replace(/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/g, (found) =>
      isNow(Date.parse(found)) ? '<time>' : found,
    )
    .replace(/\b\d{13}(\.\d+)?\b/g, (found) => (isNow(Number(found)) ? '<time>' : found))
}

function compareAll(
  before: Map<string, Map<string, Seen>>,
  after: Map<string, Map<string, Seen>>,
): ComparedAnswers {
  let [compared, equal, masked] = [0, 0, 0]
  let example: string | null = null
  let unsteady: string | null = null
  let failing: ComparedAnswers['failing'] = null
  for (const [path, seen] of after) {
    const known = before.get(path) ?? new Map<string, Seen>()
    const pattern = patternOf([...known.values()].map(({ answer }) => answer))
    if (pattern.isUnsteady) unsteady ??= path
    const statuses = [...known.values()].map(({ answer }) => answer.status)
    if (statuses.every((status) => status === 0 || status >= 500))
      failing ??= { path, status: statuses[0] ?? 0 }
    for (const [key, { answer, count }] of seen) {
      compared += count
      const fits = pattern.fit(answer)
      if (pattern.isMasked && fits) masked += count
      if (known.has(key) || fits) equal += count
      else example ??= `${path}: ${difference([...known.values()], answer)}`
    }
  }
  return { compared, equal, masked, example, unsteady, failing }
}

interface Pattern {
  readonly isMasked: boolean
  readonly isUnsteady: boolean
  fit(answer: HttpAnswer): boolean
}

/** Each status has a pattern of its own, and so has each number of words: of both at most a few. */
const MOST_SHAPES = 6

function patternOf(answers: readonly HttpAnswer[]): Pattern {
  const shapes = new Map<string, { words: string[]; masked: Set<number> }>()
  for (const answer of answers) {
    const words = wordsOf(answer.text)
    const shape = shapes.get(shapeOf(answer, words))
    if (!shape) shapes.set(shapeOf(answer, words), { words, masked: new Set() })
    else words.forEach((word, index) => word !== shape.words[index] && shape.masked.add(index))
  }
  const isUnsteady =
    shapes.size > MOST_SHAPES ||
    [...shapes.values()].some(({ words, masked }) => masked.size > Math.max(12, words.length / 2))
  return {
    isUnsteady,
    isMasked: [...shapes.values()].some(({ masked }) => masked.size > 0),
    fit(answer) {
      const words = wordsOf(answer.text)
      const shape = shapes.get(shapeOf(answer, words))
      return (
        shape !== undefined &&
        words.every((word, index) => shape.masked.has(index) || word === shape.words[index])
      )
    },
  }
}

function shapeOf({ status }: HttpAnswer, words: readonly string[]): string {
  return `${status} ${words.length}`
}

/** What base64 and the like write is one word, or a random one would have another number of them each time. */
function wordsOf(text: string): string[] {
  return text.match(/[\w+/=-]{16,}|[\w-]+|[^\w-]/g) ?? []
}

function difference(known: readonly Seen[], answer: HttpAnswer): string {
  const [old] = known.toSorted((a, b) => b.count - a.count)
  if (!old) return `status ${answer.status}`
  if (old.answer.status !== answer.status)
    return `status ${answer.status || answer.text} instead of ${old.answer.status || old.answer.text}`
  const [a, b] = [old.answer.text, answer.text]
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return `at character ${at} of ${a.length}`
}

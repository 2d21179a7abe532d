// lab search: does a search through many short texts get faster on threads? It depends on where the texts are.

import { checkDisk } from '../runner/free-disk.js'
import { noPause, type Pause } from '../runner/pause.js'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom, type Random } from '../../measure/stats/random.js'
import {
  MAX_THREADS,
  labProgram,
  labTasks,
  type Experiment,
  type MeasuredRow,
  type Row,
} from '../runner/experiment.js'
import { AGAIN, figureOf, judgeWorth } from '../runner/judge-worth.js'
import { FOUND_FILE, TEXTS_FILE, type SearchPlan } from '../programs/search-program.js'
import { sameResults, comparisonRow, comparisonColumns, allCpus, plural } from '../runner/wording.js'
import { mergeHits, rank, type Hit } from '../tasks/search-texts.js'

const parameters = {
  count: { flag: '--count <n>', description: 'number of texts', initial: 100_000, most: 2_000_000 },
  threads: {
    flag: '--threads <list>',
    description: 'numbers of threads',
    initial: [1, 2],
    most: MAX_THREADS,
  },
} as const

const LOOP = 'plain loop'

export const search: Experiment<typeof parameters> = {
  name: 'search',
  question: 'Does a search through many short texts get faster by map-reduce on threads?',
  takes: 'about half a minute',
  parameters,
  mode: 'cell',
  async prepare({ count }, folder, pause = noPause) {
    checkDisk(folder, { option: 'count', count, bytes: TEXT_BYTES, files: 0 })
    const texts = await makeTexts(count, pause)
    const found = await rankAll(texts, pause)
    writeFileSync(join(folder, TEXTS_FILE), texts.join('\n'))
    writeFileSync(join(folder, FOUND_FILE), JSON.stringify(found))
    const [first] = found
    const best = first ? `the best is text ${first.text}: "${texts[first.text]}"` : 'no text has one of them'
    return {
      found: [`A search ranks the texts by the words ${words.join(', ')} and gives the best ten; ${best}.`],
    }
  },
  rows: ({ count, threads }, folder) => {
    const row = (label: string, way: SearchPlan['way'], size: number): Row => {
      const plan: SearchPlan = { way, folder, count, words }
      const program = labProgram('search')
      const task = way === 'sent' ? 'rankSent' : 'rankKept'
      return {
        label,
        cell: {
          source: { kind: 'task', url: labTasks('search-texts'), task, inputs: [[plan]], program },
          variant: 'search',
          executor: way === 'loop' ? 'inline' : 'threads',
          size,
          cpus: allCpus(),
          uv: null,
          inFlight: 1,
        },
      }
    }
    const most = Math.max(...threads)
    return [
      row(LOOP, 'loop', 1),
      ...threads.map((size) => row(plural(size, 'thread'), 'kept', size)),
      row(`${plural(most, 'thread')}, texts sent`, 'sent', most),
    ]
  },
  baselineOf: (_row, rows) => rows[0],
  conclude: (rows, { count }) => ({
    sentence: sentenceOf(rows, count),
    remarks: [
      ...sameResults(
        rows,
        'Every search of every row found the same ten texts in the same order; this was checked after each.',
      ),
      'Threads work by mapReduce of threadwise/parallel, in batches of 1000 texts. Each thread has read all texts once, so it is told only which to rank: that takes the memory of the texts once more for each thread.',
      'The loop delay is what every other request of the same process waits during a search.',
    ],
    tables: [
      {
        title: `Searches through ${count} texts of about 12 words`,
        columns: comparisonColumns('searches/s', LOOP),
        rows: rows.map((row) => comparisonRow(row, rows[0])),
      },
    ],
    heatMaps: [],
  }),
}

function sentenceOf(rows: readonly MeasuredRow[], count: number): string {
  const isSent = ({ label }: MeasuredRow) => label.endsWith('sent')
  const name = `A search through ${count} texts`
  const kept = judgeWorth(rows.filter((row) => !isSent(row)))
  const sent = judgeWorth(rows.filter(isSent))
  const tail = sent
    ? ` With the texts sent for each search, ${plural(sent.size, 'thread')} ${figureOf(sent, 'searches of the loop')}${verdictOn(sent.answer)}.`
    : ''
  if (!kept) return `${name} on threads could not be measured.${tail}`
  const figure = `with the texts in every thread, ${plural(kept.size, 'thread')} ${figureOf(kept, 'searches of a plain loop')}`
  if (kept.answer === 'cannot tell') return `${name}: cannot tell, ${figure}; ${AGAIN}.${tail}`
  return `${name} is ${kept.answer} threads here: ${figure}.${tail}`
}

function verdictOn(answer: string): string {
  return answer === 'cannot tell' ? ', too uncertain to tell' : `, which is ${answer} it`
}

/** Of a text with its end of line, about. */
const TEXT_BYTES = 90
const BATCH = 10_000

/** Words that are neither common nor rare, so that some thousand texts have one of them. */
const words = ['bakilo', 'dorena', 'mulita']

/** Made of invented words, the n-th of which is n times rarer than the first, as in real texts. */
export async function makeTexts(count: number, pause: Pause = noPause): Promise<string[]> {
  const random = createRandom(1)
  const vocabulary = makeVocabulary(random, 3000)
  const draw = () => vocabulary[Math.floor(vocabulary.length ** random()) - 1]!
  const texts: string[] = []
  while (texts.length < count) {
    const text = Array.from({ length: 6 + Math.floor(random() * 13) }, draw).join(' ')
    texts.push(text[0]!.toUpperCase() + text.slice(1))
    if (texts.length % 100 === 0) await pause()
  }
  return texts
}

/** What a plain loop finds. */
async function rankAll(texts: readonly string[], pause: Pause): Promise<Hit[]> {
  let found: Hit[] = []
  for (let from = 0; from < texts.length; from += BATCH) {
    const to = Math.min(texts.length, from + BATCH)
    found = mergeHits(found, rank(texts, words, { first: 0, from, to }))
    await pause()
  }
  return found
}

function makeVocabulary(random: Random, size: number): string[] {
  const pick = (letters: string) => letters[Math.floor(random() * letters.length)]!
  const syllable = () => pick('bdfgklmnprstv') + pick('aeiou')
  const list = Array.from({ length: size }, () => syllable() + syllable() + syllable())
  words.forEach((word, i) => (list[100 + 100 * i] = word))
  return list
}

// lab posts: does reading a folder of MDX posts belong on threads, when they stream what they read?

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { checkOption } from '../../errors/check-options.js'
import { comparisonColumns, comparisonRow, sameResults, allCpus, plural } from '../runner/wording.js'
import { labProgram, labTasks, type Experiment, type Row } from '../runner/experiment.js'
import { findPackages } from '../runner/find-packages.js'
import { AGAIN, figureOf, judgeWorth } from '../runner/judge-worth.js'
import { makePosts } from './make-posts.js'
import { PostOutcomes, LIST_FILE, OUTCOME_FILE, type PostsPlan } from '../programs/posts-program.js'
import { readPosts } from '../tasks/read-posts.js'

const parameters = {
  count: { flag: '--count <n>', description: 'number of posts that are made', initial: 500 },
  folder: { flag: '--folder <dir>', description: 'a folder of .mdx or .md posts (default: one is made)', initial: '' }, // prettier-ignore
  threads: { flag: '--threads <list>', description: 'numbers of threads', initial: [1, 2] },
} as const

const POSTS = 'posts'
const NAMED = 3

export const posts: Experiment<typeof parameters> = {
  name: 'posts',
  question:
    'Does reading a folder of MDX posts belong on threads, which stream front matter and content as they read?',
  takes: 'about half a minute',
  parameters,
  mode: 'cell',
  async prepare({ count, folder }, work) {
    const packages = packagesOfPosts()
    const given = folder === '' ? undefined : listPosts(resolve(folder))
    if (!given) {
      mkdirSync(join(work, POSTS))
      makePosts(join(work, POSTS), count)
    }
    const own = folderOf(folder, work)
    const files = given ?? listPosts(own)
    const outcomes = new PostOutcomes()
    for await (const part of readPosts({ folder: own, files, packages })) outcomes.add(part)
    writeFileSync(join(work, LIST_FILE), JSON.stringify(files))
    writeFileSync(join(work, OUTCOME_FILE), outcomes.toJson())
    return { found: [foundIn(files.length, outcomes)] }
  },
  rows: ({ folder, threads }, work) => {
    const row = (label: string, executor: 'inline' | 'threads', size: number): Row => {
      const packages = packagesOfPosts()
      const plan: PostsPlan = { folder: folderOf(folder, work), work, packages, streams: 2 * size }
      const url = labTasks('read-posts')
      return {
        label,
        cell: {
          source: { kind: 'task', url, task: 'readPosts', inputs: [[plan]], program: labProgram('posts') },
          ...{ variant: 'posts', executor, size, cpus: allCpus(), uv: null, inFlight: 1 },
        },
      }
    }
    return [
      row('inline', 'inline', 1),
      ...threads.map((size) => row(plural(size, 'thread'), 'threads', size)),
    ]
  },
  baselineOf: (_row, rows) => rows[0],
  conclude: (rows) => ({
    sentence: sentenceOf(judgeWorth(rows)),
    remarks: [
      ...sameResults(rows, 'In every row all posts arrived, or were reported by name, as in a plain loop; this was checked after each reading.'), // prettier-ignore
      'Each stream reads 25 posts with gray-matter and zod, and gives the front matter of each before its content; two streams are open for each thread, and two inline.',
      'The files are in the page cache. The loop delay is what every other request of the same process waits while the folder is read.',
    ],
    tables: [
      {
        title: 'Reading all posts of the folder',
        columns: comparisonColumns('folders/s', 'inline'),
        rows: rows.map((row) => comparisonRow(row, rows[0])),
      },
    ],
    heatMaps: [],
  }),
}

function packagesOfPosts() {
  return findPackages('threadwise lab posts', ['gray-matter', 'zod'])
}

function folderOf(given: string, work: string): string {
  return given === '' ? join(work, POSTS) : resolve(given)
}

/** Paths within the folder, also in folders below. */
function listPosts(folder: string): string[] {
  let names: string[] = []
  let reason = 'there is none'
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch (error) {
    reason = (error as Error).message
  }
  const files = names.filter((name) => /\.mdx?$/.test(name) && !name.includes('node_modules')).sort()
  checkOption(files.length > 0, 'folder', `a folder with .mdx or .md posts (${reason})`, folder)
  return files
}

function foundIn(count: number, outcomes: PostOutcomes): string {
  const { broken } = outcomes
  if (broken.length === 0) return `All ${count} posts are sound.`
  const named = broken.slice(0, NAMED).map(({ file, problem }) => `${file} (${problem})`)
  const more = broken.length > NAMED ? `, and ${broken.length - NAMED} more` : ''
  return `Of ${count} posts ${broken.length === 1 ? 'one is' : `${broken.length} are`} broken and reported by name, and the others arrive: ${named.join(', ')}${more}.`
}

function sentenceOf(best: ReturnType<typeof judgeWorth>): string {
  if (!best) return 'Reading the posts on threads could not be measured.'
  const figure = `${plural(best.size, 'thread')} ${figureOf(best, 'throughput of inline')}`
  if (best.answer === 'cannot tell') return `Reading the posts: cannot tell, ${figure}; ${AGAIN}.`
  return `Reading the posts is ${best.answer} threads here: ${figure}.`
}

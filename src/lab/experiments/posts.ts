// lab posts: does reading a folder of MDX posts belong on threads, when they stream what they read?

import { checkDisk } from '../runner/free-disk.js'
import { noPause, type Pause } from '../runner/pause.js'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { checkOption } from '../../errors/check-options.js'
import { createRandom } from '../../measure/stats/random.js'
import { comparisonColumns, comparisonRow, sameResults, allCpus, plural } from '../runner/wording.js'
import { MAX_THREADS, labProgram, labTasks, type Experiment, type Row } from '../runner/experiment.js'
import { findPackages } from '../runner/find-packages.js'
import { judgeWorth, worthSentence } from '../runner/judge-worth.js'
import { PostOutcomes, LIST_FILE, OUTCOME_FILE, type PostsPlan } from '../programs/posts-program.js'
import { readPosts } from '../tasks/read-posts.js'

const parameters = {
  count: { flag: '--count <n>', description: 'number of posts that are made', initial: 500, most: 1_000_000 },
  folder: {
    flag: '--folder <dir>',
    description: 'a folder of .mdx or .md posts (default: one is made)',
    initial: '',
  },
  threads: {
    flag: '--threads <list>',
    description: 'numbers of threads',
    initial: [1, 2],
    most: MAX_THREADS,
  },
} as const

const POSTS = 'posts'
const NAMED = 3
/** Of a post that is made, about. */
const POST_BYTES = 4000

export const posts: Experiment<typeof parameters> = {
  name: 'posts',
  question:
    'Does reading a folder of MDX posts belong on threads, which stream front matter and content as they read?',
  takes: 'about half a minute',
  parameters,
  mode: 'cell',
  async prepare({ count, folder }, work, pause = noPause) {
    const packages = packagesOfPosts()
    const given = folder === '' ? undefined : listPosts(resolve(folder))
    if (!given) {
      checkDisk(work, { option: 'count', count, bytes: POST_BYTES, files: 1 })
      mkdirSync(join(work, POSTS))
      await makePosts(join(work, POSTS), count, pause)
    }
    const own = folderOf(folder, work)
    const files = given ?? listPosts(own)
    const outcomes = new PostOutcomes()
    for await (const part of readPosts({ folder: own, files, packages })) {
      outcomes.add(part)
      await pause()
    }
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
          variant: 'posts',
          executor,
          size,
          cpus: allCpus(),
          uv: null,
          inFlight: 1,
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
    sentence: worthSentence('Reading the posts', judgeWorth(rows), 'throughput of inline'),
    remarks: [
      ...sameResults(
        rows,
        'In every row all posts arrived, or were reported by name, as in a plain loop; this was checked after each reading.',
      ),
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

/** Every fiftieth post is broken, in each of these ways in turn. */
const BROKEN_EVERY = 50
const breaks: readonly ((title: string) => string)[] = [
  () => 'date: 2026-01-01', // no title
  (title) => `title: ${title}\ndate: yesterday`,
  (title) => `title: "${title}\ntags: [a, b`, // no YAML
]

const words =
  'the pool gives each call to a worker and waits for its answer before it tells the caller'.split(' ')

/** A folder of MDX posts as a blog has them, some of them broken in the ways in which posts are broken. */
async function makePosts(folder: string, count: number, pause: Pause): Promise<void> {
  const random = createRandom(2)
  const sentence = () =>
    Array.from({ length: 14 }, () => words[Math.floor(random() * words.length)]!).join(' ') + '.'
  const paragraph = () => Array.from({ length: 6 }, sentence).join(' ')
  for (let i = 0; i < count; i++) {
    const title = `Post ${i} on pools`
    const way = i % BROKEN_EVERY === BROKEN_EVERY - 1 ? Math.floor(i / BROKEN_EVERY) % breaks.length : -1
    const head = breaks[way]?.(title) ?? frontMatter(title, i, sentence())
    const body = [
      "import { Chart } from '../chart.jsx'",
      `# ${title}`,
      ...Array.from({ length: 6 }, paragraph),
      `<Chart data={[${i}, 2, 3]} />`,
    ]
    writeFileSync(
      join(folder, `post-${String(i).padStart(5, '0')}.mdx`),
      `---\n${head}\n---\n\n${body.join('\n\n')}\n`,
    )
    await pause()
  }
}

function frontMatter(title: string, i: number, summary: string): string {
  const day = new Date(Date.UTC(2020, 0, 1 + i)).toISOString().slice(0, 10)
  return [
    `title: ${title}`,
    `date: ${day}`,
    `draft: ${i % 7 === 0}`,
    'tags:\n  - threads\n  - node',
    `author:\n  name: Ada Lovelace\n  mail: ada${i}@example.org`,
    `summary: >-\n  ${summary}`,
  ].join('\n')
}

// A folder of MDX posts as a blog has them, some of them broken in the ways in which posts are broken.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom } from '../../measure/stats/random.js'

/** Every fiftieth post is broken, in each of these ways in turn. */
const BROKEN_EVERY = 50
const breaks: readonly ((title: string) => string)[] = [
  () => 'date: 2026-01-01', // no title
  (title) => `title: ${title}\ndate: yesterday`,
  (title) => `title: "${title}\ntags: [a, b`, // no YAML
]

const words =
  'the pool gives each call to a worker and waits for its answer before it tells the caller'.split(' ')

export function makePosts(folder: string, count: number): void {
  const random = createRandom(2)
  const sentence = () =>
    Array.from({ length: 14 }, () => words[Math.floor(random() * words.length)]!).join(' ') + '.'
  const paragraph = () => Array.from({ length: 6 }, sentence).join(' ')
  for (let i = 0; i < count; i++) {
    const title = `Post ${i} on pools`
    const way = i % BROKEN_EVERY === BROKEN_EVERY - 1 ? Math.floor(i / BROKEN_EVERY) % breaks.length : -1
    const head = breaks[way]?.(title) ?? frontMatter(title, i, sentence())
    const body = ["import { Chart } from '../chart.jsx'", `# ${title}`, ...Array.from({ length: 6 }, paragraph), `<Chart data={[${i}, 2, 3]} />`] // prettier-ignore
    writeFileSync(
      join(folder, `post-${String(i).padStart(5, '0')}.mdx`),
      `---\n${head}\n---\n\n${body.join('\n\n')}\n`,
    )
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

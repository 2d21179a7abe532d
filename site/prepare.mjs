// Copies what the site shows to .pages/: README.md as its first page, docs/, and what they link to; and writes llms.txt. Links to what
// is no page, such as an example, go to the repository.
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const to = fileURLToPath(new URL('.pages/', import.meta.url))
const read = (path) => readFileSync(join(root, path), 'utf8')

export const repository = JSON.parse(read('package.json')).repository.url.replace(/^git\+|\.git$/g, '')

const markdownIn = (folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .sort()

const pages = [
  ...['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'RELEASING.md', 'SECURITY.md'],
  ...['examples/slow-express/README.md', ...markdownIn('docs')],
]

/** Where a page stands on the site: README.md is the first page of its folder. */
const placeOf = (page) => page.replace(/README\.md$/, 'index.md')

function onSite(page) {
  const relink = (_, start, target) => {
    // TypeDoc numbers a name that it has twice, also where one of the two has no heading.
    if (/^#\w+-1$/.test(target) && !namesTwice(target)) return `${start}(${target.slice(0, -2)})`
    if (/^[a-z]+:|^#/.test(target)) return `${start}(${target})`
    const [path, anchor] = target.split('#')
    const file = posix.join(posix.dirname(page), path)
    if (/\.(png|svg)$/.test(file)) return `${start}(${target})`
    if (!pages.includes(file)) return `${start}(${repository}/blob/main/${file})`
    const way = posix.relative(posix.dirname(placeOf(page)), placeOf(file))
    return `${start}(${way.startsWith('.') ? way : `./${way}`}${anchor === undefined ? '' : `#${anchor}`})`
  }
  const namesTwice = (target) =>
    read(page)
      .toLowerCase()
      .split(`\n### ${target.slice(1, -2)}\n`).length > 2
  return outsideOfCode(read(page), (text) => text.replace(/(\])\(([^)\s]+)\)/g, relink))
}

function outsideOfCode(markdown, change) {
  return markdown.replace(/^```[^]*?^```$|(?:(?!^```)[^])+/gm, (part) =>
    part.startsWith('```') ? part : change(part),
  )
}

const titleOf = (page) => /^# (.+)$/m.exec(read(page))?.[1].replaceAll('\\', '') ?? page
const linkOf = (page) => `/${placeOf(page).replace(/(index)?\.md$/, '')}`

/** The groups of docs/README.md and docs/recipes/README.md, in their order. */
function groupsOf(list) {
  return read(list)
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const targets = [...section.matchAll(/\]\(([^)#\s]+\.md)\)/g)].map(([, target]) => posix.join(posix.dirname(list), target)) // prettier-ignore
      const items = [...new Set(targets)].map((page) => ({ text: titleOf(page), link: linkOf(page) }))
      return { text: section.split('\n')[0], collapsed: true, items }
    })
    .filter(({ items }) => items.length > 0)
}

export const menu = [
  { text: 'Start', link: '/' },
  { text: 'A slow Express server', link: '/examples/slow-express/' },
  { text: 'Recipes', items: groupsOf('docs/recipes/README.md') },
  ...groupsOf('docs/README.md'),
]

/** For programs that read: each page in a line, and its text beside the page, as Markdown. */
function llmsText() {
  const lines = pages
    .filter((page) => !page.startsWith('docs/reference/') && !/^(RELEASING|ARCHITECTURE)/.test(page))
    .map((page) => `- [${titleOf(page)}](/${placeOf(page)})`)
  return `# threadwise\n\n> ${read('README.md').split('\n\n')[1].replaceAll('\n', ' ')}\n\n## Pages\n\n${lines.join('\n')}\n`
}

function write(path, text) {
  mkdirSync(dirname(join(to, path)), { recursive: true })
  writeFileSync(join(to, path), text)
}

export function prepare() {
  rmSync(to, { recursive: true, force: true })
  for (const page of pages) {
    const text = onSite(page)
    write(placeOf(page), text)
    write(`public/${placeOf(page)}`, text)
  }
  cpSync(join(root, 'docs/images'), join(to, 'docs/images'), { recursive: true })
  write('public/llms.txt', llmsText())
}

if (process.argv[1] === fileURLToPath(import.meta.url)) prepare()

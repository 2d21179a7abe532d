// The pages of the documentation, cut into what tests look at: code blocks, headings, links, and prose.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Paths from the root, with forward slashes. */
export const userPages = [
  'README.md',
  ...['docs', 'docs/recipes', 'docs/maintainers'].flatMap((folder) => markdownIn(folder)),
]
const others = [
  'ARCHITECTURE.md',
  'examples/slow-express/README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'RELEASING.md',
  'SECURITY.md',
]
export const allPages = [...userPages, ...others]

export const readPage = (page) => readFileSync(join(root, page), 'utf8')

/**
 * @typedef {{ language: string, marks: Record<string, string>, text: string, line: number }} Block
 * A block opens with its language and marks: ```js file=tasks.js
 */

/** @returns {Block[]} */
export function blocksOf(markdown) {
  const blocks = []
  let open
  markdown.split('\n').forEach((line, index) => {
    const fence = /^```(.*)$/.exec(line)
    if (!fence && open) open.text += `${line}\n`
    if (!fence) return
    if (open) blocks.push(open)
    open = open ? undefined : { ...parseInfo(fence[1]), text: '', line: index + 1 }
  })
  if (open) throw new Error(`the code block that begins in line ${open.line} does not end`)
  return blocks
}

function parseInfo(info) {
  const [language = '', ...words] = info.trim().split(/\s+/)
  return { language, marks: Object.fromEntries(words.map((word) => word.split('='))) }
}

/** The page without its code blocks. */
export function proseOf(markdown) {
  return markdown.replace(/^```[^]*?^```$/gm, '')
}

/** What stands between backticks in prose. */
export function inlineCodeOf(markdown) {
  return [...proseOf(markdown).matchAll(/`([^`\n]+)`/g)].map(([, code]) => code)
}

/** What stands below a heading, up to the next one of its level. */
export function sectionOf(markdown, title, level = 2) {
  const mark = `\n${'#'.repeat(level)} `
  const [, text] = `\n${markdown}`.split(`${mark}${title}\n`)
  if (text === undefined) throw new Error(`there is no section "${title}"`)
  return text.split(mark)[0].split('\n## ')[0]
}

/** The rows of all tables, each as its cells, without the headings. */
export function rowsOf(markdown) {
  const lines = markdown.split('\n')
  const isRule = (line = '') => line.startsWith('|--')
  const rows = lines.filter((line, i) => line.startsWith('|') && !isRule(line) && !isRule(lines[i + 1]))
  return rows.map((row) => row.split('|').slice(1, -1).map((cell) => cell.trim())) // prettier-ignore
}

/** The names of the fields of an exported type, as the reference has them (reference.test.js keeps it fresh). */
export function fieldsOf(module, type) {
  const [, table = ''] = sectionOf(readPage(`docs/reference/${module}.md`), type, 3).split(
    '\n#### Properties\n',
  )
  return [...table.matchAll(/^\| <a id="[^"]*"><\/a> `(\w+)\??`/gm)].map(([, name]) => name)
}

/** The anchors that GitHub makes of headings. */
export function anchorsOf(markdown) {
  return [...proseOf(markdown).matchAll(/^#{1,6} (.+)$/gm)].map(([, title]) => anchorOf(title))
}

function anchorOf(title) {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
}

/** The targets of links and images. */
export function linksOf(markdown) {
  return [...proseOf(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target)
}

/** A link as seen from the root: { page: 'docs/errors.md', anchor: 'codes' }. */
export function resolveLink(page, target) {
  const [path, anchor = ''] = target.split('#')
  return { page: path === '' ? page : join(dirname(page), path).replaceAll('\\', '/'), anchor }
}

function markdownIn(folder) {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'))
  return names.sort().map((name) => `${folder}/${name}`)
}

// What was built: each link leads to a page and an anchor that are there, and no page loads anything from elsewhere.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('.vitepress/dist/', import.meta.url))
const base = process.env.SITE_BASE ?? '/'
const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.html'))
const texts = new Map(pages.map((page) => [page, readFileSync(join(folder, page), 'utf8')]))
const anchors = new Map([...texts].map(([page, text]) => [page, new Set(valuesOf(text, /\sid="([^"]+)"/g))]))
const problems = [...texts].flatMap(([page, text]) => [...deadLinks(page, text), ...foreign(page, text)])

for (const problem of problems) console.error(problem)
console.log(`${pages.length} pages, ${problems.length} problems`)
process.exitCode = problems.length > 0 || pages.length < 40 ? 1 : 0

function valuesOf(text, pattern) {
  return [...text.matchAll(pattern)].map(([, value]) => decodeURIComponent(value.replaceAll('&amp;', '&')))
}

function deadLinks(page, text) {
  const links = valuesOf(text, /<a[^>]*?\shref="([^"]+)"/g).filter((link) => !/^(https:|mailto:)/.test(link))
  return links.filter((link) => !leads(page, link)).map((link) => `${page}: ${link} leads nowhere`)
}

function leads(page, link) {
  const [path, anchor] = link.split('#')
  const from = path.startsWith(base) ? path.slice(base.length) : posix.join(posix.dirname(page), path)
  const to =
    path === ''
      ? page
      : [from, `${from}.html`, posix.join(from, 'index.html')].find((name) => texts.has(name))
  if (to === undefined) return existsSync(join(folder, from)) && !path.endsWith('/')
  return anchor === undefined || anchor === '' || anchors.get(to).has(anchor)
}

function foreign(page, text) {
  const loaded = valuesOf(text, /<(?:script|img|iframe)[^>]*?\ssrc="([^"]+)"/g)
  const linked = valuesOf(text, /<link[^>]*?\shref="([^"]+)"/g)
  return [...loaded, ...linked]
    .filter((url) => /^(https?:)?\/\//.test(url))
    .map((url) => `${page}: loads ${url}`)
}

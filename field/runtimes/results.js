// What came of the contract suite under other runtimes, and the tables of docs/runtimes.md that are made of it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { differences } from './differences.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = join(root, 'docs/runtimes.md')
/** Not `deno.json`: Deno would take that for its configuration, and find no package. */
const fileOf = (name) => join(root, 'field/runtimes', `cases-on-${name}.json`)

export const executors = ['threads', 'processes', 'inline', 'concurrent', 'adaptive']
const titles = { bun: 'Bun', deno: 'Deno' }
const names = Object.keys(titles)

/** `files`: "EXECUTOR FILE" -> `{ cases, failed: { case: reason } }` */
export function readResult(name) {
  return existsSync(fileOf(name)) ? JSON.parse(readFileSync(fileOf(name), 'utf8')) : { files: {} }
}

export function saveFile({ name, version, key }, outcome) {
  const files = { ...readResult(name).files, [key]: outcome }
  const sorted = Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)))
  const date = new Date().toISOString().slice(0, 10)
  writeFileSync(fileOf(name), `${JSON.stringify({ version, date, files: sorted }, null, 2)}\n`)
}

export function writePage() {
  writeFileSync(page, withTables(readFileSync(page, 'utf8')))
}

/** The page with its tables as the results have them. Each stands between `<!-- runtimes NAME -->` and `<!-- end -->`. */
export function withTables(text) {
  const tables = { counts: countTable(), differences: differenceTable(), others: otherCases() }
  return text.replace(/(<!-- runtimes (\w+) -->\n)[^]*?(<!-- end -->)/g, (_, start, name, end) => {
    return `${start}\n${tables[name]}\n\n${end}`
  })
}

function countTable() {
  const head = names.map((name) => {
    const { version, date } = readResult(name)
    return `${titles[name]} ${version}, ${date}`
  })
  const rows = executors.map((executor) => {
    const cells = names.map((name) => countOf(Object.entries(readResult(name).files).filter(([key]) => isOf(key, executor)))) // prettier-ignore
    return `| \`${executor}\` | ${cells.join(' | ')} |`
  })
  return [`| cases as on Node | ${head.join(' | ')} |`, '|---|---|---|', ...rows].join('\n')
}

function countOf(files) {
  const sum = (count) => files.reduce((all, [, file]) => all + count(file), 0)
  const cases = sum((file) => file.cases)
  const asOnNode = cases - sum(({ failed }) => Object.keys(failed).length)
  return cases === 0 ? 'not tried' : `${asOnNode} of ${cases}, in ${files.length} files`
}

const isOf = (key, executor) => key.startsWith(`${executor} `)

function differenceTable() {
  const rows = differences.map((one) => {
    const cells = names.map((name) => failedCases(name).filter(({ text }) => explains(one, text)).length || '-') // prettier-ignore
    return `| ${[one.what, one.so, ...cells].join(' | ')} |`
  })
  const heads = names.map((name) => `cases on ${titles[name]}`)
  return [`| what differs | so | ${heads.join(' | ')} |`, '|---|---|---|---|', ...rows].join('\n')
}

/** The first entry that matches. */
function explains(one, text) {
  return differences.find(({ cases }) => cases.test(text)) === one
}

function otherCases() {
  const lines = names.flatMap((name) => {
    const left = failedCases(name).filter(({ text }) => !differences.some(({ cases }) => cases.test(text)))
    return left.map(({ executor, text, reason }) => `| ${titles[name]} | \`${executor}\` | ${cell(text)} | ${cell(reason)} |`) // prettier-ignore
  })
  return ['| runtime | executor | case | what it said |', '|---|---|---|---|', ...lines].join('\n')
}

function cell(text) {
  return text.replace(/\p{Cc}\[[\d;]*m|\p{Cc}/gu, '').replace(/\s+/g, ' ').replace(/[|<>`*_[\]]/g, ' ').slice(0, 140) // prettier-ignore
}

function failedCases(name) {
  return Object.entries(readResult(name).files).flatMap(([key, { failed }]) => {
    const [, executor, file] = /^(.+) (\S+)$/.exec(key)
    return Object.entries(failed).map(([title, reason]) => ({ executor, reason, text: `${file} ${title.replace(/^[\w ]+: /, '')}` })) // prettier-ignore
  })
}

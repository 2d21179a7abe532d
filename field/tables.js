// The results of rows, and the tables of docs/ that are made of them.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { groups } from './rows/all-rows.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const file = join(root, 'field/results.json')

/** name of a row -> `{ works, versions, node, date }` */
export function readResults() {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}

export function saveResult({ name }, { works, versions, node, date }) {
  const results = { ...readResults(), [name]: { works, versions, node, date } }
  const sorted = Object.fromEntries(Object.entries(results).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`)
}

export function tableOf(rows, results) {
  const lines = rows.map((row) => {
    const { works, versions = [], node, date } = results[row.name] ?? {}
    const result = works === undefined ? 'not tried' : works ? 'works' : 'fails'
    const tried = [...versions, ...(node ? [`node ${node.slice(1)}`] : [])].join(', ')
    return `| ${[row.setup, result, row.note, tried, date ?? ''].join(' | ')} |`
  })
  return ['| set-up | result | what it needs | tried with | on |', '|---|---|---|---|---|', ...lines].join(
    '\n',
  )
}

/** The page with its tables as the results have them. Each stands between `<!-- field NAME -->` and `<!-- end -->`. */
export function withTables(text, results = readResults()) {
  return text.replace(/(<!-- field (\w+) -->\n)[^]*?(<!-- end -->)/g, (_, start, name, end) => {
    const group = groups.find((one) => one.name === name)
    if (!group) throw new Error(`there is no group of rows called ${name}`)
    return `${start}\n${tableOf(group.rows, results)}\n\n${end}`
  })
}

export function writeTables() {
  for (const page of new Set(groups.map((group) => group.page))) {
    const path = join(root, page)
    writeFileSync(path, withTables(readFileSync(path, 'utf8')))
  }
}

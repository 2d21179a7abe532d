// docs/servers.md tells all fields of the JSON and all findings; and nothing that is not there.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { inlineCodeOf, readPage, root } from './pages.js'

const page = readPage('docs/servers.md')
const section = (title) => page.split(`\n## ${title}\n`)[1].split('\n## ')[0]
const words = (markdown) => new Set(inlineCodeOf(markdown).flatMap((code) => code.match(/[\w-]+/g)))
const source = (name) => readFileSync(join(root, `src/measure/${name}.ts`), 'utf8')
const membersOf = (text, name) => {
  const body = text.split(`export interface ${name} {`)[1].split('\n}')[0]
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??:/gm)].map(([, member]) => member)
}

test('all fields of the JSON, and no other', () => {
  const told = words(section('The JSON'))
  const declared = source('results/server-result')
  const parts = ['ServerResult', 'ServerSettings', 'ServerCell', 'ServerLatency', 'ServerAdvice']
  const fields = parts.flatMap((part) => membersOf(declared, part))
  assert.ok(fields.length > 50)
  assert.deepEqual(fields.filter((field) => !told.has(field)), []) // prettier-ignore
  assert.deepEqual([...told].filter((word) => !declared.includes(word)), []) // prettier-ignore
})

test('all findings, and no other', () => {
  const ids = [...source('server/advise-server').matchAll(/id: '([a-z-]+)'/g)].map(([, id]) => id)
  const rows = section('The advice').split('\n').filter((line) => line.startsWith('| `')) // prettier-ignore
  const told = rows.flatMap((row) => inlineCodeOf(row.split('|')[1]))
  assert.ok(ids.length > 6)
  assert.deepEqual(told.sort(), ids.sort())
})

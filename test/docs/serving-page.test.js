// The pages of serving tell all events, and all that status() has; and nothing that is not there.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SERVE_OPTIONS } from '../../build/serve/contract/option-table.js'
import { inlineCodeOf, readPage, root, rowsOf, sectionOf } from './pages.js'

const page = ['serving', 'serving-options', 'serving-connections', 'operating']
  .map((name) => readPage(`docs/${name}.md`))
  .join('\n')
const source = (name) => readFileSync(join(root, `src/serve/contract/${name}.ts`), 'utf8')
const membersOf = (text, name) => {
  const body = text.split(`export interface ${name} {`)[1].split('\n}')[0]
  return [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, member]) => member)
}

test('all fields of the status of a service and of an instance', () => {
  const words = inlineCodeOf(page)
  const fields = ['ServiceStatus', 'InstanceStatus', 'InstanceLoad'].flatMap((name) =>
    membersOf(source('events'), name),
  )
  assert.ok(fields.length > 12)
  assert.deepEqual(fields.filter((field) => !words.includes(field)), []) // prettier-ignore
})

test('all events and all states', () => {
  const words = inlineCodeOf(page)
  const events = [...source('events').matchAll(/type: '(\w+)'/g)].map(([, name]) => name)
  const states = [...source('events').matchAll(/State =((?:\s*\|?\s*'\w+')+)/g)].flatMap(([, union]) => {
    return [...union.matchAll(/'(\w+)'/g)].map(([, name]) => name)
  })
  assert.ok(events.length === 10 && states.length === 14)
  assert.deepEqual([...events, ...states].filter((word) => !words.includes(word)), []) // prettier-ignore
})

test('of each option its flag, its name and its default, and of no other', () => {
  const rows = rowsOf(sectionOf(readPage('docs/serving-options.md'), 'Options'))
  const told = new Map(rows.map((cells) => [cells[1]?.replaceAll('`', ''), cells]))
  const texts = new Map(
    [...source('options').matchAll(/\/\*\*([^]*?)\*\/\n {2}(\w+)\?:/g)].map(([, text, name]) => [name, text]),
  )
  for (const [name, { flag, default: value = false }] of Object.entries(SERVE_OPTIONS)) {
    const [words, , , otherwise] = told.get(name) ?? assert.fail(`${name} has no row`)
    if (flag) assert.equal(words.replaceAll('`', ''), flag.words, name)
    if (value === false) continue
    assert.ok(otherwise.replaceAll('`', '').includes(String(value)), `${name}: ${otherwise}`)
    assert.match(texts.get(name).replaceAll('`', ''), new RegExp(`Default:? .*\\b${value}\\b`), name)
  }
  assert.deepEqual([...texts.keys()].filter((name) => !(name in SERVE_OPTIONS)), []) // prettier-ignore
})

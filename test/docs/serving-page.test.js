// The pages of serving tell all events, and all that status() has; and nothing that is not there.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { inlineCodeOf, readPage, root } from './pages.js'

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

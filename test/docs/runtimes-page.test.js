// The tables of docs/runtimes.md are those of field/runtimes/, and what they explain was seen.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differences } from '../../field/runtimes/differences.js'
import { executors, readResult, withTables } from '../../field/runtimes/results.js'
import { readPage } from './pages.js'

const page = readPage('docs/runtimes.md')

test('the tables are on the page, as they were generated', () => {
  for (const name of ['counts', 'differences', 'others'])
    assert.ok(page.includes(`<!-- runtimes ${name} -->`))
  assert.equal(withTables(page), page, 'npm run test:runtimes -- --table')
})

for (const name of ['bun', 'deno'])
  test(`${name} was tried, on a day and in a version that are told`, () => {
    const { version, date, files } = readResult(name)
    assert.match(version, /^\d+\.\d+\.\d+$/)
    assert.match(date, /^\d{4}-\d\d-\d\d$/)
    const tried = new Set(Object.keys(files).map((key) => key.split(' ')[0]))
    assert.deepEqual(executors.filter((executor) => !tried.has(executor)), []) // prettier-ignore
  })

test('each difference that is explained was seen', () => {
  const failed = ['bun', 'deno'].flatMap((name) =>
    Object.entries(readResult(name).files).flatMap(([key, outcome]) =>
      Object.keys(outcome.failed).map(
        (title) => `${key.split(' ').at(-1)} ${title.replace(/^[\w ]+: /, '')}`,
      ),
    ),
  )
  for (const { what, cases } of differences)
    assert.ok(
      failed.some((text) => cases.test(text)),
      what,
    )
})

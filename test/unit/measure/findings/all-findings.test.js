// A rule that is in its file alone never speaks, and one without a test may speak when it must not.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const source = new URL('../../../../src/measure/findings/', import.meta.url)
const here = new URL('./', import.meta.url)
const read = (folder, name) => readFileSync(new URL(name, folder), 'utf8')

const rules = readdirSync(source).flatMap((file) => {
  const text = read(source, file)
  const [, rule] = /^export function (\w+)\([^)]*FindingContext\): Reason \| null/m.exec(text) ?? []
  const [, id] = /^ {4}id: '([a-z-]+)'/m.exec(text) ?? []
  return rule ? [{ file, rule, id }] : []
})
const tests = readdirSync(here)
  .filter((name) => name !== 'all-findings.test.js')
  .map((name) => read(here, name))
  .join('\n')

test('each rule has its place in one of the two lists', () => {
  const lists = read(source, 'all-findings.ts').split('const trust')[1]
  assert.ok(rules.length > 15)
  assert.deepEqual(rules.filter(({ rule }) => !new RegExp(`\\b${rule}\\b`).test(lists)), []) // prettier-ignore
})

test('each rule has tests', () => {
  assert.deepEqual(rules.filter(({ id }) => !tests.includes(id)), []) // prettier-ignore
})

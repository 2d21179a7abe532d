// The page of values names each class of the platform that travels in a way of its own.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { inlineCodeOf, readPage, root, rowsOf, sectionOf } from './pages.js'

test('each class that travels by its text or by what it lists has its row', () => {
  const source = readFileSync(join(root, 'src/runtime/wire/kinds/platform.ts'), 'utf8')
  const classes = [...source.matchAll(/^ {4}'?([\w.]+)'?: \{ kind: '(?:text|items|file)'/gm)].map(([, name]) => name) // prettier-ignore
  const told = rowsOf(sectionOf(readPage('docs/values.md'), 'What can be sent')).flatMap((row) => inlineCodeOf(row[0])) // prettier-ignore
  assert.ok(classes.length >= 5)
  assert.deepEqual(classes.filter((name) => !told.includes(name)), []) // prettier-ignore
})

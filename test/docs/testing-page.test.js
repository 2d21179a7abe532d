// The recipes for test runners are files of the apps that are run with them.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { testRunners } from '../../field/rows/test-runners.js'
import { blocksOf, readPage, root } from './pages.js'

const blocks = blocksOf(readPage('docs/testing.md')).filter(({ language }) => language === 'js')

for (const { marks, text, line } of blocks)
  test(`line ${line} shows ${marks.app}`, () =>
    assert.equal(text, readFileSync(join(root, 'field/apps', marks.app), 'utf8')))

test('each app is one of those that are run', () => {
  const apps = new Set(testRunners.map(({ app }) => app))
  for (const { marks } of blocks) assert.ok(apps.has(marks.app.split('/')[0]), marks.app)
})

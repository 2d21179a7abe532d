// docs/frameworks.md shows the code of the apps that were tried, and no other; docs/web.md the components that were.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { frameworks } from '../../field/rows/frameworks.js'
import { blocksOf, readPage, root } from './pages.js'

const blocks = blocksOf(readPage('docs/frameworks.md')).filter(({ marks }) => marks.file)

describe('docs/web.md', () => {
  const components = blocksOf(readPage('docs/web.md')).filter(({ marks }) =>
    marks.file?.startsWith('components/'),
  )
  const files = readdirSync(join(root, 'field/apps/components')).filter((name) =>
    /^(Total|pool)\./.test(name),
  )

  test('shows each component as it was built and run', () => {
    assert.deepEqual(components.map(({ marks }) => marks.file).sort(), files.map((name) => `components/${name}`).sort()) // prettier-ignore
    for (const { marks, text } of components)
      assert.equal(text, readFileSync(join(root, 'field/apps', marks.file), 'utf8'))
  })
})

describe('docs/frameworks.md', () => {
  for (const { marks, text, line } of blocks) {
    test(`shows lines of field/apps/${marks.file} in line ${line}`, () => {
      const path = join(root, 'field/apps', marks.file)
      assert.ok(existsSync(path), path)
      assert.ok(readFileSync(path, 'utf8').includes(text), `${path} has other lines`)
    })
  }

  test('shows something of the app of each row', () => {
    const shown = new Set(blocks.map(({ marks }) => marks.file.split('/')[0]))
    const missing = frameworks.filter(({ app }) => !shown.has(app))
    assert.deepEqual(
      missing.map(({ name }) => name),
      [],
    )
  })
})

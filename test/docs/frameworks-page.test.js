// docs/frameworks.md shows the code of the apps that were tried, and no other.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { blocksOf, readPage, root } from './pages.js'

const blocks = blocksOf(readPage('docs/frameworks.md')).filter(({ marks }) => marks.file)

describe('docs/frameworks.md', () => {
  for (const { marks, text, line } of blocks) {
    test(`shows lines of field/apps/${marks.file} in line ${line}`, () => {
      const path = join(root, 'field/apps', marks.file)
      assert.ok(existsSync(path), path)
      assert.ok(readFileSync(path, 'utf8').includes(text), `${path} has other lines`)
    })
  }
})

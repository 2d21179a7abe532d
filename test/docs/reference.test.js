// docs/reference is what `npm run reference` writes of the types and their comments. So a change of the interface shows as a change
// of these pages, and every export for users has a comment: TypeDoc fails without.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from './pages.js'

const typedoc = join(createRequire(import.meta.url).resolve('typedoc/package.json'), '../bin/typedoc')

function pagesOf(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md')).sort() // prettier-ignore
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

test('docs/reference is fresh: npm run reference would change nothing', { timeout: 120_000 }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-reference-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const { status, stdout, stderr } = spawnSync(process.execPath, [typedoc, '--out', folder], { cwd: root, encoding: 'utf8' }) // prettier-ignore
  assert.equal(status, 0, stdout + stderr)
  const fresh = pagesOf(folder)
  const committed = pagesOf(join(root, 'docs/reference'))
  assert.ok(fresh.size > 5)
  assert.deepEqual([...committed.keys()], [...fresh.keys()])
  for (const [name, text] of fresh) assert.equal(committed.get(name), text, `${name}: run npm run reference`)
})

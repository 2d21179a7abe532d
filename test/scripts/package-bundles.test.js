import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'

const root = new URL('../../', import.meta.url)
const { exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
const entries = Object.values(exports).flatMap((ways) => ways.default ?? [])

const importsOf = (url) =>
  [...readFileSync(url, 'utf8').matchAll(/^(?:import|\}|export).* from "(\..*)";$/gm)].map(
    ([, path]) => new URL(path, url).href,
  )

describe('what a program imports from the package is its own file, and one that all share', () => {
  for (const entry of entries) {
    test(entry, () => {
      const imported = importsOf(new URL(entry, root))
      assert.equal(imported.length, 1, String(imported))
      assert.deepEqual(imported, importsOf(new URL(entries[0], root)))
      assert.deepEqual(importsOf(new URL(imported[0])), [])
    })
  }
})

test('an entry is the same module by its name and by its old path', async () => {
  for (const [way, { default: bundle }] of Object.entries(exports).filter(([, ways]) => ways.default)) {
    const stub = exports[way].types.replace('.d.ts', '.js')
    const [byPath, byName] = await Promise.all([stub, bundle].map((path) => import(new URL(path, root))))
    assert.deepEqual({ ...byPath }, { ...byName }, way)
  }
})

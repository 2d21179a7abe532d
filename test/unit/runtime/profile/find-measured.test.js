// Which measured module a built file is.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { findMeasured } from '../../../../build/runtime/profile/find-measured.js'
import { testFolder } from '../../../helpers/files.js'

/** What is found for a path below a package, in which the files of `texts` are. */
function finder(t, keys, texts = {}) {
  const path = testFolder(t)
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(dirname(path(name)), { recursive: true })
    writeFileSync(path(name), text)
  }
  return (name) => {
    const [file, fragment = ''] = name.split(/(?=#)/)
    const module = pathToFileURL(path(file)).href + fragment
    return findMeasured({ file: path('threadwise.json'), module }, keys)
  }
}

describe('by its path', () => {
  test('a build is known in whichever folder it lies', (t) => {
    const find = finder(t, ['src/tasks.ts', 'src/deep/sums.ts'])
    const builds = ['dist/tasks.js', 'dist/src/tasks.js', 'dist/esm/tasks.mjs', '.build/tasks.js', 'build/cjs/tasks.cjs', 'lib/tasks.js', 'out-tsc/src/tasks.js', '.output/tasks.mjs'] // prettier-ignore
    for (const build of builds) assert.equal(find(build), 'src/tasks.ts', build)
    assert.equal(find('dist/esm/deep/sums.js'), 'src/deep/sums.ts')
  })

  test('two of one name are told apart by their folders', (t) => {
    const find = finder(t, ['src/a/tasks.ts', 'src/b/tasks.ts'])
    assert.equal(find('dist/a/tasks.js'), 'src/a/tasks.ts')
    assert.equal(find('dist/esm/b/tasks.js'), 'src/b/tasks.ts')
    assert.equal(find('dist/tasks.js'), undefined)
  })

  test('one that was not measured is none of those that were', (t) => {
    const find = finder(t, ['src/a/tasks.ts', 'src/sums.ts'], { 'src/esm/sums.ts': '' })
    for (const other of [
      'dist/c/tasks.js',
      'dist/tasks.js',
      'plugins/sums.js',
      'packages/x/dist/sums.js',
      'dist/other.js',
      'dist/esm/sums.js',
    ])
      // prettier-ignore
      assert.equal(find(other), undefined, other)
  })
})

test('by its path, though its name has a hash, unless another file there has the same name', (t) => {
  const find = finder(t, ['src/tasks.ts', 'src/a/sums.ts'], {
    'dist/tasks-4F7B2A.js': '',
    'dist/a/sums-ZZ12345x.js': '',
    'dist/b/sums-YY12345x.js': '',
    'out/tasks-4F7B2A.js': '',
    'out/tasks-99FF11.js': '',
    'dist/tasks-helper.js': '',
  })
  assert.equal(find('dist/tasks-4F7B2A.js'), 'src/tasks.ts')
  assert.equal(find('dist/a/sums-ZZ12345x.js'), 'src/a/sums.ts')
  for (const other of ['dist/b/sums-YY12345x.js', 'out/tasks-4F7B2A.js', 'dist/tasks-helper.js'])
    assert.equal(find(other), undefined, other)
})

test('by what the plugin wrote into its URL, whatever it is called', (t) => {
  const find = finder(t, ['src/a/tasks.ts', 'src/b/tasks.ts'])
  assert.equal(find('dist/tasks-1f0a22c3.js#src/a/tasks.ts'), 'src/a/tasks.ts')
  assert.equal(find('dist/x.js#src/c/tasks.ts'), undefined)
  assert.equal(find('dist/a/tasks.js#src/c/tasks.ts'), undefined)
})

describe('by its source map', () => {
  const mapped = (name, sources) => ({
    [name]: `export const add = 1\n//# sourceMappingURL=${name.split('/').at(-1)}.map`,
    [`${name}.map`]: JSON.stringify({ version: 3, sources, mappings: '' }),
  })

  test('of one source', (t) => {
    const find = finder(t, ['src/a/tasks.ts', 'src/b/tasks.ts'], mapped('out/renamed.js', ['../src/b/tasks.ts'])) // prettier-ignore
    assert.equal(find('out/renamed.js'), 'src/b/tasks.ts')
  })

  test('of a bundle, which holds what it imports too', (t) => {
    const sources = ['../src/sums.ts', '../src/b/tasks.ts']
    const keys = ['src/a/tasks.ts', 'src/b/tasks.ts', 'src/sums.ts']
    const find = finder(t, keys, { ...mapped('out/tasks-A1B2C3.js', sources), ...mapped('out/other.js', sources) }) // prettier-ignore
    assert.equal(find('out/tasks-A1B2C3.js'), 'src/b/tasks.ts')
    assert.equal(find('out/other.js'), undefined)
  })

  test('within the file', (t) => {
    const map = Buffer.from(JSON.stringify({ version: 3, sources: ['../src/tasks.ts'], mappings: '' }))
    const text = `//# sourceMappingURL=data:application/json;base64,${map.toString('base64')}`
    const find = finder(t, ['src/tasks.ts'], { 'anywhere/x.js': text })
    assert.equal(find('anywhere/x.js'), 'src/tasks.ts')
  })
})

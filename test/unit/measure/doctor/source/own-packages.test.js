// Names that stand for the user's own code.
import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { ownPaths } from '../../../../../build/measure/doctor/source/own-packages.js'
import { temporaryFolder } from '../../../../helpers/files.js'

/** Files by their paths; JSON where it is an object. Links where it is a text that begins with "->". */
function project(t, files) {
  const root = temporaryFolder(t)
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    if (typeof content === 'string' && content.startsWith('->'))
      symlinkSync(join(root, content.slice(2)), file)
    else writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  }
  const from = join(root, 'apps/api/server.js')
  return (specifier) => ownPaths(from, specifier).map((path) => path.slice(root.length + 1))
}

describe("the user's own code under a name", () => {
  test('is a package of the workspace, by its entries', (t) => {
    const paths = project(t, {
      'apps/api/package.json': { name: 'api' },
      'packages/core/package.json': { name: '@acme/core', exports: { '.': { import: './src/index.js' }, './*': './src/*.js' } }, // prettier-ignore
      'node_modules/@acme/core': '->packages/core',
    })
    assert.deepEqual(paths('@acme/core'), ['packages/core/src/index.js'])
    assert.deepEqual(paths('@acme/core/tally'), ['packages/core/src/tally.js'])
  })

  test('is what package.json names in imports, and the package itself', (t) => {
    const paths = project(t, {
      'apps/api/package.json': { name: 'api', imports: { '#lib/*': './lib/*', '#core': '@acme/core' }, exports: { './tools': './tools.js' } }, // prettier-ignore
      'packages/core/package.json': { name: '@acme/core', main: 'main.js' },
      'node_modules/@acme/core': '->packages/core',
    })
    assert.deepEqual(paths('#lib/tally.js'), ['apps/api/lib/tally.js'])
    assert.deepEqual(paths('#core')[0], 'packages/core/main.js')
    assert.deepEqual(paths('api/tools'), ['apps/api/tools.js'])
    assert.deepEqual(paths('#other'), [])
  })

  test('is a copy that its version says is the own one', (t) => {
    const files = { 'apps/api/node_modules/core/package.json': { name: 'core', main: './a.js' } }
    const own = project(t, {
      ...files,
      'apps/api/package.json': { dependencies: { core: 'file:../../core' } },
    })
    assert.equal(own('core')[0], 'apps/api/node_modules/core/a.js')
    const foreign = project(t, { ...files, 'apps/api/package.json': { dependencies: { core: '^1.0.0' } } })
    assert.deepEqual(foreign('core'), [])
  })

  test('is an alias of the nearest tsconfig.json, with its comments, and what that extends', (t) => {
    const paths = project(t, {
      'apps/api/package.json': { name: 'api' },
      'apps/api/tsconfig.json': '{ // of the app\n "extends": "../../tsconfig.base.json", }',
      'tsconfig.base.json': { compilerOptions: { baseUrl: '.', paths: { '@/*': ['apps/api/src/*'], '~core': ['packages/core/index.ts'] } } }, // prettier-ignore
    })
    assert.deepEqual(paths('@/lib/tally'), ['apps/api/src/lib/tally'])
    assert.deepEqual(paths('~core'), ['packages/core/index.ts'])
    assert.deepEqual(paths('express'), [])
  })

  test('is no package of somebody else', (t) => {
    const paths = project(t, {
      'apps/api/package.json': { name: 'api' },
      'node_modules/express/package.json': { name: 'express', main: 'index.js' },
    })
    assert.deepEqual(paths('express'), [])
    assert.deepEqual(paths('missing'), [])
  })
})

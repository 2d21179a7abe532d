// How much a page, and a worker, load.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const KB = 1000

for (const [way, most] of [
  ['web', 45.6 * KB],
  ['web-worker', 18.3 * KB],
])
  // prettier-ignore
  test(`${way} takes at most ${most / KB} kB, minified and compressed`, async () => {
    const file = fileURLToPath(new URL(`../../dist/${way}.js`, import.meta.url))
    const { outputFiles } = await build({ entryPoints: [file], bundle: true, minify: true, format: 'esm', platform: 'browser', write: false }) // a module of Node fails it
    const bytes = gzipSync(outputFiles[0].contents, { level: 9 }).length
    assert.ok(bytes <= most, `${bytes} bytes`)
  })

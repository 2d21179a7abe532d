// Patterns of files and folders whose changes are passed over.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathsLike } from '../../../../build/serve/apps/paths-like.js'

const cases = [
  ['data', ['/app/data', '/app/data/db.json', '/app/lib/data/x.json'], ['/app/database.js', '/app/data.js']],
  ['*.tmp.js', ['/app/a.tmp.js', '/app/lib/b.tmp.js'], ['/app/tmp.js', '/app/a.js']],
  [
    './public/*.json',
    ['/app/public/a.json'],
    ['/app/public/deep/a.json', '/app/lib/public/a.json', '/app/public/a.js'],
  ],
  ['lib/**/gen', ['/app/lib/gen', '/app/lib/a/b/gen/x.js'], ['/app/gen', '/app/lib/general.js']],
  ['/app/cache/', ['/app/cache/x.js'], ['/app/cached.js', '/other/app/cache/x.js']],
  ['RegExp:[\\/\\\\]\\.|node_modules', ['/app/node_modules/x.js', '/app/.git/x.js'], ['/app/x.js']],
  ['a?c.(js)', ['/app/abc.(js)'], ['/app/abcXjs', '/app/ac.(js)']],
]

for (const [pattern, ignored, kept] of cases) {
  test(`${pattern} is of these alone`, () => {
    const isIgnored = pathsLike([pattern], ['/app'])
    for (const path of ignored) assert.equal(isIgnored(path), true, path)
    for (const path of kept) assert.equal(isIgnored(path), false, path)
  })
}

// Files of the package that code names by their place: src/ and dist/ have other folders, and the way must lead there in both.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import ts from 'typescript'
import { sourceFiles } from './source-files.js'

/** Each is a file of dist/ in the same place as in src/: scripts/build.mjs. */
const PROGRAM = /^lab\/((tasks|servers)\/[\w-]+|\w+\/[\w-]+-program|uploads\/store-files)\.ts$/

test('ways to files of the package begin with ../../ and the wing: what is bundled lies in dist/chunks/node', () => {
  const files = Object.entries(sourceFiles()).filter(([path, text]) => text.includes('import.meta.url') && !PROGRAM.test(path)) // prettier-ignore
  const ways = files.flatMap(([path, text]) => waysIn(text).map((way) => ({ path, way })))
  assert.ok(ways.length >= 8, 'they are found')
  const wrong = ways.filter(({ way }) => !/^\.\.\/\.\.\/(cli\/|lab\/|package\.json$)/.test(way))
  assert.deepEqual(wrong.map(({ path, way }) => `${path}: ${way}`), []) // prettier-ignore
})

/** The first words of `new URL('...', import.meta.url)`, outside of texts and comments. */
function waysIn(text) {
  const found = []
  const visit = (node) => {
    if (ts.isNewExpression(node) && node.expression.getText() === 'URL') {
      const [way, from] = node.arguments ?? []
      if (from?.getText() === 'import.meta.url') found.push(way.getText().slice(1, -1))
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true))
  return found
}

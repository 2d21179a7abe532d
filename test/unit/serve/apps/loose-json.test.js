// JSON with what JavaScript allows beside it gives what JavaScript would.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLooseJson } from '../../../../build/serve/apps/loose-json.js'

const texts = {
  'comments and a comma at the end': `{ "a": [1, 2, /* 3 */ ], // b\n "url": "http://x//y", }`,
  'names without quotes, and single ones': `{ apps: [{ name: 'web', script:'./a.js', args : ['--x', 'it\\'s', 'say "a"'] }] }`,
  'what looks like a comment, a comma or a name in a text': `{ 'a': '// no, }', "b": "/* no */ c: 1", c: ',]' }`,
  'plain JSON': `{ "a": { "b": null, "c": true, "d": -1.5e3 } }`,
}
for (const [what, text] of Object.entries(texts)) {
  test(what, () => assert.deepEqual(parseLooseJson(text), new Function(`return (${text})`)()))
}

test('what is code is no JSON', () => {
  for (const text of ['{ a: process.exit() }', '{ a: (1) }', '', '{ a: b }'])
    assert.throws(() => parseLooseJson(text), SyntaxError)
})

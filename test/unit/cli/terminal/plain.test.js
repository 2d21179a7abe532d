// Text of others must not steer a terminal.
/* eslint-disable no-control-regex -- these are looked for */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plain, plainLines, plainWithColors } from '../../../../build/cli/terminal/plain.js'

const hostile = [
  '\x1b]0;title\x07', '\x1b[2J\x1b[H', '\r2026-01-01 [serve] all is well', '\x9b31m', '\x1b[?1049h', '\x1bPq#0\x1b\\', 'a\bb', '\x1b[6n', '\x1b]8;;http://x\x07link\x1b]8;;\x07', '\x7f', '\x1b[', 'safe\u202etxt.exe', '\u2066a\u2069',
] // prettier-ignore

test('nothing that steers is left', () => {
  for (const text of hostile) {
    assert.doesNotMatch(plain(text), /[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/)
    const colored = plainWithColors(text)
    assert.doesNotMatch(
      colored.replaceAll(/\x1b\[[\d;]*m/g, ''),
      /[\x00-\x1f\x7f-\x9f]/,
      JSON.stringify(colored),
    )
  }
})

test('what is plain stays as it is', () => {
  for (const text of ['', 'hello', 'ä ✓ 日本', 'a: b, {"c": [1]}']) {
    assert.deepEqual([plain(text), plainWithColors(text)], [text, text])
  }
  assert.equal(plainLines('a\nb\x1b[2J'), 'a\nb')
})

test('colours stay in a log, and end with their line', () => {
  assert.equal(plainWithColors('\x1b[31mred\x1b[2J'), '\x1b[31mred\x1b[0m')
})

// Text laid out for a terminal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  hangingText,
  oneLine,
  pad,
  shorten,
  textWidth,
  wrapText,
} from '../../../../../build/measure/report/terminal/plain-text.js'

test('A message cannot move the cursor, change colours or reverse the text.', () => {
  assert.equal(oneLine('a\u001b[2J\u001b[31mb\r\nc\td\u0007 \u202ee'), 'ab c d ?e')
})

test('Wide characters take two columns and combining marks none.', () => {
  assert.equal(textWidth('größe'), 5)
  assert.equal(textWidth('図表'), 4)
  assert.equal(textWidth('e\u0301'), 1)
  assert.equal(textWidth('\u001b[1mbold\u001b[0m'), 4)
})

test('Text wraps at words, and a word longer than the line is broken.', () => {
  assert.deepEqual(wrapText('one two three', 7), ['one two', 'three'])
  assert.deepEqual(wrapText('abcdefgh ij', 3), ['abc', 'def', 'gh', 'ij'])
  assert.deepEqual(wrapText('図表図表', 5), ['図表', '図表'])
  assert.deepEqual(wrapText('', 10), [''])
})

test('A hanging text is indented below its first word.', () => {
  assert.deepEqual(hangingText('  - ', 'one two three', 11), ['  - one two', '    three'])
})

test('A shortened text fits and shows that something is missing.', () => {
  assert.equal(shorten('abcdef', 6), 'abcdef')
  assert.equal(shorten('abcdefg', 6), 'abcd..')
  assert.ok(textWidth(shorten('図表図表図表', 7)) <= 7)
})

test('Padding counts columns, not characters.', () => {
  assert.equal(pad('図', 4, 'left'), '図  ')
  assert.equal(pad('7', 3, 'right'), '  7')
})

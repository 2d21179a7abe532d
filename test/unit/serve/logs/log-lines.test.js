// Pieces become whole lines, wherever they were cut.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLineSplitter } from '../../../../build/serve/logs/log-lines.js'

const linesOf = (pieces, mostBytes) => {
  const splitter = createLineSplitter(mostBytes)
  return [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()].map(String)
}

test('the same lines come out, wherever the text is cut', () => {
  const text = Buffer.from('one\n\ntwo ä€😀\nthree\r\nno end')
  const expected = ['one', '', 'two ä€😀', 'three\r', 'no end']
  for (let size = 1; size <= text.length; size++) {
    const pieces = []
    for (let at = 0; at < text.length; at += size) pieces.push(text.subarray(at, at + size))
    assert.deepEqual(linesOf(pieces), expected, `pieces of ${size} bytes`)
  }
})

test('an end of line is no line of its own, and nothing is no line', () => {
  assert.deepEqual(linesOf([Buffer.from('a\n')]), ['a'])
  assert.deepEqual(linesOf([]), [])
})

test('a line without an end is cut where it would grow without bounds, and nothing of it is lost', () => {
  assert.deepEqual(linesOf([Buffer.from('abcde'), Buffer.from('fg'), Buffer.from('h\nij')], 3), [
    'abc',
    'def',
    'gh',
    'ij',
  ])
})

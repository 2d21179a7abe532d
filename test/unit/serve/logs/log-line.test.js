// A line of a log, and what was written of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logLine, textOfLine } from '../../../../build/serve/logs/log-lines.js'

test('a line has the time and who wrote it, and the text can be had alone', () => {
  const line = logLine('3 err', Buffer.from('ä [x] y'), new Date(0))
  assert.equal(String(line), '1970-01-01T00:00:00.000Z [3 err] ä [x] y\n')
  assert.equal(String(textOfLine(line.subarray(0, -1))), 'ä [x] y')
  assert.equal(String(textOfLine(logLine('serve', ''))), '\n')
})

test('what has no such head stays whole', () => {
  for (const text of ['', 'plain', '[3] x', '1970-01-01 [3] x'])
    assert.equal(String(textOfLine(Buffer.from(text))), text)
})

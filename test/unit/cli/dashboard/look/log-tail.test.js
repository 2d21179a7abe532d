// The newest lines of a log, whatever is in it.
import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventsInLog } from '../../../../../build/cli/dashboard/look/log-events.js'
import { LogTail, searchLog, shown, shownBytes } from '../../../../../build/cli/dashboard/look/log-tail.js'
import { temporaryFolder } from '../../../../helpers/files.js'

const tailOf = (t, text) => {
  const path = join(temporaryFolder(t), 'web.log')
  if (text !== undefined) writeFileSync(path, text)
  const tail = new LogTail(path)
  t.after(() => tail.close())
  return { path, read: () => tail.read().map(String) }
}

test('gives the lines that are there, then those that come, each once and only when whole', (t) => {
  const { path, read } = tailOf(t, 'a\nb\nhal')
  assert.deepEqual(read(), ['a', 'b'])
  assert.deepEqual(read(), [])
  appendFileSync(path, 'f\n\nc\n')
  assert.deepEqual(read(), ['half', '', 'c'])
})

test('goes on through a rotation, and when the file is emptied or comes later', (t) => {
  const { path, read } = tailOf(t)
  assert.deepEqual(read(), [])
  writeFileSync(path, 'a\n')
  assert.deepEqual(read(), ['a'])
  appendFileSync(path, 'b\n')
  renameSync(path, `${path}.1`)
  writeFileSync(path, 'c\n')
  assert.deepEqual(read(), ['b', 'c'])
  truncateSync(path)
  read()
  appendFileSync(path, 'd\n')
  assert.deepEqual(read(), ['d'])
})

test('a line of a megabyte is cut where it is shown, and hides no other', (t) => {
  const { path, read } = tailOf(t, 'a\n')
  read()
  appendFileSync(path, `${'x'.repeat(1024 ** 2)}\nb\n`)
  const [long, after] = read()
  assert.equal(after, 'b')
  assert.ok(shown(long).length < 2100)
  assert.match(shownBytes(Buffer.from(long)), /^x+ \.\.\. \(1048576 bytes\)$/)
})

test('more than is read at a time is left out, and that is said', (t) => {
  const { path, read } = tailOf(t, 'a\n')
  read()
  appendFileSync(path, `${'y'.repeat(99)}\n`.repeat(100_000))
  const lines = read()
  assert.match(lines[0], /^\.\.\. \d+ bytes more than can be read/)
  assert.ok(lines.slice(1).every((line) => line === 'y'.repeat(99)))
})

test('hundreds of thousands of lines are no more than others', (t) => {
  const { path, read } = tailOf(t, 'a\n')
  read()
  appendFileSync(path, '\n'.repeat(300_000))
  assert.equal(read().length, 300_000)
})

test('of a large log only the end is read at first, from a whole line on', (t) => {
  const { read } = tailOf(t, 'line 1\n' + 'z'.repeat(300_000) + '\nlast\n')
  assert.deepEqual(read(), ['last'])
})

test('what is no file of this user is not read', (t) => {
  const path = join(temporaryFolder(t), 'web.log')
  mkdirSync(path)
  assert.deepEqual(new LogTail(path).read(), [])
  assert.deepEqual(searchLog(path, 'x'), [])
})

test('a line steers no terminal and turns no direction', () => {
  assert.equal(shown('a\x1b]0;title\x07\x1b[31mred\x1b[0m\r\u202eb'), 'ared  b')
})

test('the search finds lines whatever their case', (t) => {
  const { path } = tailOf(t, 'One\ntwo\nONE more <b>\n')
  assert.deepEqual(searchLog(path, 'one'), ['One', 'ONE more <b>'])
})

test('events are read from the lines of the service, with the last words of an instance that has died', () => {
  const time = '2026-11-28T18:00:00.000Z'
  const lines = [
    `${time} [serve] starting 2 instances of server.js`,
    `${time} [3] busy`,
    `${time} [3 err] Error: no more`,
    `${time} [4] of another one`,
    `${time} [serve] instance 3 (process 77) ended with exit code 1, unexpectedly`,
    `${time} [3] [serve] reloaded 9 instances`,
    `${time} [serve] instance 4 (process 78) ended with exit code 0`,
    `${time} [serve] reloaded 2 instances`,
    'no line of ours',
  ].map((line) => Buffer.from(line))
  const events = eventsInLog('web', lines, [`${time} [3] before`])
  assert.deepEqual(events.map(({ kind }) => kind), ['service', 'death', 'instance', 'reload']) // prettier-ignore
  assert.deepEqual(events[1].lastWords, ['before', 'busy', 'Error: no more'])
  assert.equal(events[1].at, Date.parse(time))
})

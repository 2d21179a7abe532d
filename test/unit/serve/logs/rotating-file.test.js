// A log file of limited size: what is kept, in which file, and what happens when it cannot be written.
import assert from 'node:assert/strict'
import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { openRotatingFile } from '../../../../build/serve/logs/rotating-file.js'

let folder
let path
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'threadwise-log-'))
  path = join(folder, 'web.log')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const line = (text) => Buffer.from(`${text}\n`)
const files = () => readdirSync(folder).sort()
const read = (name) => readFileSync(join(folder, name), 'utf8')

test('files are filled with whole lines, and the oldest go', () => {
  const log = openRotatingFile(path, { size: 10, files: 3 })
  log.write(['aaaa', 'bbbb', 'cccc', 'dddd', 'eeee', 'ffff', 'gggg'].map(line))
  log.close()
  assert.deepEqual(files(), ['web.log', 'web.log.1', 'web.log.2'])
  assert.deepEqual(files().map(read), ['gggg\n', 'eeee\nffff\n', 'cccc\ndddd\n'])
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('a line that is longer than a file is not cut', () => {
  const log = openRotatingFile(path, { size: 10, files: 3 })
  log.write([line('a'), line('b'.repeat(30)), line('c')])
  log.close()
  assert.deepEqual(files().map(read), ['c\n', `${'b'.repeat(30)}\n`, 'a\n'])
})

test('it goes on where it was, and removes the files that are too many now', () => {
  const many = openRotatingFile(path, { size: 10, files: 5 })
  many.write(Array.from({ length: 10 }, (_, index) => line(`aaa${index}`)))
  many.close()
  assert.equal(files().length, 5)
  const few = openRotatingFile(path, { size: 10, files: 2 })
  few.write([line('bbbb')])
  few.close()
  assert.deepEqual(files().map(read), ['bbbb\n', 'aaa8\naaa9\n'])
})

test('where it cannot rotate, it goes on in the same file', () => {
  const log = openRotatingFile(path, { size: 10, files: 2 })
  rmSync(folder, { recursive: true })
  writeFileSync(folder, 'no folder any more')
  log.write([line('aaaa'), line('bbbb'), line('cccc')])
  log.close()
})

test('a full disk is no error; the lost lines are reported when there is room again', (t) => {
  let isFull = false
  const { writeSync } = fs
  const full = (...args) => {
    if (!isFull) return writeSync(...args)
    const [fd, all, at] = args
    if (at === 0) return writeSync(fd, all, 0, 2) // the half of a line still finds room
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  }
  t.mock.method(fs, 'writeSync', full)
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
  const log = openRotatingFile(path, { size: 1000, files: 2 })
  log.write([line('aaaa')])
  isFull = true
  log.write([line('bbbb'), line('cccc')])
  isFull = false
  log.write([line('dddd')])
  log.write([line('eeee')])
  log.close()
  const note =
    /^aaaa\nbb\n\S+Z \[serve\] up to 2 lines could not be written here: ENOSPC: [a-z ]+\ndddd\neeee\n$/
  assert.match(read('web.log'), note)
})

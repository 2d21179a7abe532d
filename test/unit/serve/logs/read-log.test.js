// The last lines of a log and those that follow, while its files are renamed and removed.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { MAX_LINE_BYTES } from '../../../../build/serve/logs/log-lines.js'
import { logLine } from '../../../../build/serve/logs/log-lines.js'
import { readLog } from '../../../../build/serve/logs/read-log.js'
import { openRotatingFile } from '../../../../build/serve/logs/rotating-file.js'

let folder
let path
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'threadwise-log-'))
  path = join(folder, 'web.log')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const limit = { timeout: 60_000 }
const lines = (from, to) => Array.from({ length: to - from }, (_, index) => `line ${from + index}`)
const bytes = (texts) => texts.map((text) => Buffer.from(`${text}\n`))

async function last(count) {
  const all = []
  for await (const some of readLog({ path, lines: count, isFollowing: false })) all.push(...some.map(String))
  return all
}

/** Takes lines while it follows, until there are as many. */
async function take(reading, count) {
  const all = []
  while (all.length < count) {
    const { value } = await reading.next()
    all.push(...value.map(String))
  }
  return all
}

test('the last lines, from as many files as it takes', async () => {
  const log = openRotatingFile(path, { size: 100, files: 50 })
  log.write(bytes(lines(0, 200)))
  log.close()
  for (const count of [0, 1, 2, 9, 10, 11, 12, 13, 100, 199, 200])
    assert.deepEqual(await last(count), lines(200 - count, 200), `${count} lines`)
  assert.deepEqual(await last(1000), lines(0, 200))
})

test('blocks are no limit: long lines, and lines without an end', async () => {
  const long = 'x'.repeat(150_000)
  writeFileSync(path, `${long}\nshort\n${long}\nno end`)
  assert.deepEqual(await last(2), ['short', long, 'no end'])
  assert.deepEqual(await last(3), [long, 'short', long, 'no end'])
  writeFileSync(path, '')
  assert.deepEqual(await last(3), [])
})

test('following meets each line once, over rotations between two looks', limit, async () => {
  const log = openRotatingFile(path, { size: 200, files: 200 })
  log.write(bytes(lines(0, 5)))
  const reading = readLog({ path, lines: 2, isFollowing: true, onGap: assert.fail })
  assert.deepEqual(await take(reading, 2), lines(3, 5))
  log.write(bytes(lines(5, 2000)))
  assert.deepEqual(await take(reading, 1995), lines(5, 2000))
  log.write(bytes(lines(2000, 2001)))
  assert.deepEqual(await take(reading, 1), lines(2000, 2001))
  await reading.return()
  log.close()
})

test('following meets each line once, while another process writes and rotates', limit, async (t) => {
  const total = 30_000
  const module = new URL('../../../../build/serve/logs/rotating-file.js', import.meta.url)
  const program = `
    import { openRotatingFile } from '${module}'
    const log = openRotatingFile(process.argv[1], { size: 3000, files: 200 })
    for (let next = 0; next < ${total}; ) {
      const end = Math.min(${total}, next + Math.ceil(Math.random() * 300))
      const some = []
      for (; next < end; next++) some.push(Buffer.from('line ' + next + '\\n'))
      log.write(some)
      await new Promise((resolve) => setTimeout(resolve, Math.random() < 0.3 ? 4 : 0))
    }
    log.close()`
  const log = openRotatingFile(path, { size: 3000, files: 200 })
  log.close()
  const reading = readLog({ path, lines: 0, isFollowing: true, onGap: assert.fail })
  const taken = take(reading, total)
  const writer = spawn(process.execPath, ['--input-type=module', '-e', program, path], { stdio: 'inherit' })
  t.after(() => writer.kill('SIGKILL'))
  assert.deepEqual(await taken, lines(0, total))
  await reading.return()
})

test('it says that lines may be missing when its file was rotated away', limit, async () => {
  const log = openRotatingFile(path, { size: 100, files: 2 })
  log.write(bytes(lines(0, 5)))
  let gaps = 0
  const reading = readLog({ path, lines: 5, isFollowing: true, onGap: () => gaps++ })
  assert.deepEqual(await take(reading, 5), lines(0, 5))
  log.write(bytes(lines(5, 200)))
  log.close()
  const rest = await take(reading, 20)
  assert.equal(gaps, 1)
  // What is still there comes in order; what is missing is between two files.
  assert.deepEqual(rest.slice(0, 8), lines(5, 13))
  assert.equal(rest.at(-1), 'line 199')
  await reading.return()
})

test(
  'a log that begins later, one that was emptied, and a gap in the names are followed too',
  limit,
  async () => {
    const reading = readLog({ path, lines: 5, isFollowing: true, onGap: assert.fail })
    const first = take(reading, 2)
    writeFileSync(path, 'a\nb\n')
    assert.deepEqual(await first, ['a', 'b'])
    writeFileSync(path, 'c\n')
    assert.deepEqual(await take(reading, 1), ['c'])
    renameSync(path, `${path}.3`)
    writeFileSync(path, 'd\n')
    assert.deepEqual(await take(reading, 1), ['d'])
    await reading.return()
  },
)

test('a line of 1 MB is one line, although it has a head in the file', limit, async () => {
  const file = openRotatingFile(path, { size: 10 * 2 ** 20, files: 2 })
  file.write([logLine('3 err', Buffer.alloc(MAX_LINE_BYTES, 'x')), logLine('1', 'next')])
  file.close()
  const read = await last(20)
  assert.deepEqual([read.length, read[1].slice(-4)], [2, 'next'])
})

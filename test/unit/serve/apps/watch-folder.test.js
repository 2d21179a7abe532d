// Which changes in a folder count, and that several at once call the listener once.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { watchFolder } from '../../../../build/serve/apps/watch-folder.js'

let root
let changes
let end
const problems = []
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'threadwise-watch-'))
  for (const name of ['src', 'node_modules', '.git']) mkdirSync(join(root, name))
  changes = 0
  end = watchFolder(root, { onChange: () => changes++, onProblem: (...problem) => problems.push(problem) })
})
afterEach(() => {
  end()
  rmSync(root, { recursive: true, force: true })
  assert.deepEqual(problems.splice(0), [])
})

const write = (name) => writeFileSync(join(root, name), String(Math.random()))

async function changed() {
  const before = changes
  const limit = Date.now() + 10_000
  while (changes === before) {
    assert.ok(Date.now() < limit, 'no change was seen')
    await delay(10)
  }
  await delay(150)
}

test('source files count, in all folders, and several writes are one change', async () => {
  for (const name of ['a.js', 'src/b.ts', 'src/c.json']) write(name)
  await changed()
  assert.equal(changes, 1)
  write('next.tmp.js')
  renameSync(join(root, 'next.tmp.js'), join(root, 'a.js')) // as editors save
  await changed()
  rmSync(join(root, 'a.js'))
  await changed()
})

test('folders that come later count, also one that was removed and made anew', async () => {
  mkdirSync(join(root, 'lib/deep'), { recursive: true })
  write('lib/deep/a.js')
  await changed()
  write('lib/deep/a.js')
  await changed()
  rmSync(join(root, 'lib'), { recursive: true })
  await changed()
  mkdirSync(join(root, 'lib'))
  await changed()
  write('lib/b.js')
  await changed()
})

test('packages, hidden files, logs and data do not count, nor does anything after the end', async () => {
  for (const name of ['node_modules/x.js', '.git/x.js', '.x.js', 'server.log', 'data.db', 'src/page.html'])
    write(name)
  await delay(400)
  assert.equal(changes, 0)
  end()
  write('a.js')
  await delay(300)
  assert.equal(changes, 0)
})

// Which changes count where a list says what is watched.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { watchListed } from '../../../../build/serve/apps/watch-listed.js'
import { temporaryFolder } from '../../../helpers/files.js'
import { waitUntil } from '../../../helpers/waiting.js'

function watched(t, list, options = {}) {
  const root = temporaryFolder(t)
  let changes = 0
  const write = (name) => {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), String(Math.random()))
  }
  for (const name of ['src/a.js', 'src/deep/b.txt', 'views/page.html', 'data/db.json', '.env', 'app.js'])
    write(name)
  const problems = []
  const end = watchListed(list, root, {
    onChange: () => changes++,
    onProblem: (...problem) => problems.push(problem),
    ...options,
  })
  t.after(() => {
    end()
    assert.deepEqual(problems, [])
  })
  /** Whether the change of a file counts: a second one, which does, comes after it. */
  const counts = async (name, last) => {
    await delay(150) // what came before has settled
    const before = changes
    write(name)
    await delay(150)
    if (changes > before) return true
    write(last)
    await waitUntil(() => changes > before, `a change of ${last} is seen`)
    return false
  }
  return { root, counts }
}

test('folders and files of a list, of every kind, and nothing else', async (t) => {
  const { counts } = watched(t, ['src', './views/', '.env', 'later/out'])
  for (const name of ['src/a.js', 'src/deep/b.txt', 'src/new/c.css', 'src/new/d.css', 'views/page.html', '.env', 'later/out/x.js'])
    assert.equal(await counts(name, 'src/a.js'), true, name)
  for (const name of ['data/db.json', 'app.js', 'src/.a.js.swp', 'src/node_modules/x.js', 'other/x.js'])
    assert.equal(await counts(name, 'src/a.js'), false, name)
}) // prettier-ignore

test('patterns, and what is to be passed over', async (t) => {
  const isIgnored = (path) => path.includes('generated')
  const { counts } = watched(t, ['src/**/*.js', '*.js'], { isIgnored })
  for (const name of ['src/a.js', 'src/deep/c.js', 'app.js']) assert.equal(await counts(name, 'app.js'), true, name)
  for (const name of ['src/deep/b.txt', 'src/generated/a.js', 'data/db.json', 'data/x.js'])
    assert.equal(await counts(name, 'app.js'), false, name)
}) // prettier-ignore

test('a folder that is removed and made anew', async (t) => {
  const { root, counts } = watched(t, ['src'])
  rmSync(join(root, 'src'), { recursive: true })
  await delay(200)
  assert.equal(await counts('src/a.js', 'src/a.js'), true)
  assert.equal(await counts('src/a.js', 'src/a.js'), true)
})

test(
  'a link to itself in the list is no trouble',
  { skip: process.platform === 'win32' && 'links need a right there' },
  async (t) => {
    const root = temporaryFolder(t)
    symlinkSync(join(root, 'loop'), join(root, 'loop'))
    const end = watchListed(['loop'], root, { onChange() {}, onProblem() {} })
    end()
  },
)

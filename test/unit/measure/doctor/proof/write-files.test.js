// What doctor leaves in .threadwise.
import assert from 'node:assert/strict'
import { existsSync, lchownSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { serialize } from 'node:v8'
import {
  commitModules,
  openOutFolder,
  writeWorkload,
} from '../../../../../build/measure/doctor/proof/write-files.js'
import { temporaryFolder } from '../../../../helpers/files.js'

const inputOf = (list) => serialize(list).toString('base64')

function write(t, inputs) {
  const folder = openOutFolder(join(temporaryFolder(t), '.threadwise'))
  const files = writeWorkload(folder, { task: 'render', module: join(folder.path, 'tasks.mjs'), inputs })
  return { files, load: async () => (await import(files[0])).default }
}

test('a workload reads the inputs that were seen', async (t) => {
  const { load } = write(t, [inputOf([1, 'a']), inputOf([2, 'b'])])
  const { task, inputs } = await load()
  assert.deepEqual(
    [task, inputs],
    [
      'render',
      [
        [1, 'a'],
        [2, 'b'],
      ],
    ],
  )
})

test('values that JSON has not are kept, too', async (t) => {
  const { load } = write(t, [inputOf([1n, new Map([[1, 2]])])])
  assert.deepEqual((await load()).inputs, [[1n, new Map([[1, 2]])]])
})

test('inputs of many megabytes are few, and never none', async (t) => {
  const large = (length) => inputOf(['x'.repeat(length)])
  const several = write(
    t,
    Array.from({ length: 15 }, () => large(1_200_000)),
  )
  assert.equal((await several.load()).inputs.length, 2)
  assert.ok(statSync(several.files[1]).size < 4_000_000)
  const one = write(t, [large(6_000_000), large(10)])
  assert.equal((await one.load()).inputs.length, 1)
})

test('modules to commit take the place of those of doctor, and of nothing else', (t) => {
  const folder = temporaryFolder(t)
  const text = '// Of report.js, by threadwise doctor: text'
  const at = (name) => join(folder, 'tasks', name)
  const commit = (name) => commitModules(join(folder, 'tasks'), [{ name, text }])
  assert.deepEqual(commit('new.js'), [at('new.js')])
  assert.deepEqual(commit('new.js'), [at('new.js')])
  writeFileSync(at('mine.js'), 'mine')
  symlinkSync(at('mine.js'), at('link.js'))
  symlinkSync(join(folder, 'not-there'), at('dangling.js'))
  for (const name of ['mine.js', 'link.js', 'dangling.js']) assert.equal(commit(name), null)
  assert.equal(readFileSync(at('mine.js'), 'utf8'), 'mine')
  assert.ok(!existsSync(join(folder, 'not-there')))
})

test(
  'a link of another user is no place for one',
  { skip: process.getuid?.() !== 0 && 'needs root' },
  (t) => {
    const folder = temporaryFolder(t)
    const earlier = '// Of report.js, by threadwise doctor: earlier'
    writeFileSync(join(folder, 'other.js'), earlier)
    symlinkSync('other.js', join(folder, 'report.js'))
    lchownSync(join(folder, 'report.js'), 65534, 65534)
    assert.equal(commitModules(folder, [{ name: 'report.js', text: 'later' }]), null)
    assert.equal(readFileSync(join(folder, 'other.js'), 'utf8'), earlier)
  },
)

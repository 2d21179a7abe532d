// The copy of an app that a trial changes: complete, apart from the app, and gone afterwards.
import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { copyApp, whyTooLarge } from '../../../../../build/measure/doctor/try/second-folder.js'
import { temporaryFolder } from '../../../../helpers/files.js'

function appIn(t) {
  const root = temporaryFolder(t)
  for (const folder of ['src', '.git', 'node_modules/one']) mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  writeFileSync(join(root, 'src', 'a.js'), 'export const a = 1\n')
  writeFileSync(join(root, '.git', 'large'), 'x'.repeat(5000))
  writeFileSync(join(root, 'node_modules/one/index.js'), 'module.exports = 1')
  return root
}

test('a copy has all files with the changes, packages as links, and nothing of git', (t) => {
  const root = appIn(t)
  const { folder, remove } = copyApp(root, [
    { file: 'src/a.js', after: 'export const a = 2\n' },
    { file: 'src/new/pool.js', after: 'export const pool = 1\n' },
  ])
  assert.equal(readFileSync(join(folder, 'src/a.js'), 'utf8'), 'export const a = 2\n')
  assert.equal(readFileSync(join(root, 'src/a.js'), 'utf8'), 'export const a = 1\n', 'that of the user')
  assert.ok(existsSync(join(folder, 'src/new/pool.js')))
  assert.equal(readFileSync(join(folder, 'node_modules/one/index.js'), 'utf8'), 'module.exports = 1')
  assert.equal(existsSync(join(folder, '.git')), false)
  if (process.platform !== 'win32') assert.equal(statSync(folder).mode & 0o077, 0, 'nobody else reads it')
  remove()
  assert.equal(existsSync(folder), false)
  assert.ok(existsSync(join(root, 'node_modules/one/index.js')), 'what it linked stays')
})

test('links lead where they did, and those that lead nowhere or in a circle are no trouble', (t) => {
  const root = appIn(t)
  symlinkSync('src/a.js', join(root, 'a.js'))
  symlinkSync('nowhere', join(root, 'dead'))
  symlinkSync('loop', join(root, 'loop'))
  symlinkSync('../src/loop', join(root, 'src', 'loop'))
  symlinkSync('package.json/x', join(root, 'through'))
  assert.equal(whyTooLarge(root), null)
  const { folder, remove } = copyApp(root, [])
  assert.equal(readFileSync(join(folder, 'a.js'), 'utf8'), 'export const a = 1\n')
  assert.equal(readlinkSync(join(folder, 'dead')), join(root, 'nowhere'))
  assert.ok(readdirSync(folder).includes('loop') && readdirSync(join(folder, 'src')).includes('loop'))
  remove()
})

test('a folder that would fill the disk is not copied: packages, git and dead links do not count', (t) => {
  const root = appIn(t)
  symlinkSync(join(root, 'nowhere'), join(root, 'dead'))
  assert.equal(whyTooLarge(root, 1000), null)
  writeFileSync(join(root, 'src', 'data.bin'), 'x'.repeat(2000))
  assert.match(whyTooLarge(root, 1000), /a copy of .* would take more than/)
  assert.equal(whyTooLarge(root), null)
})

// One start of a name at a time, also after those that were killed in the middle.
import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { withNameLock } from '../../../../build/serve/control/name-lock.js'
import { temporaryFolder } from '../../../helpers/files.js'

const limit = { timeout: 30_000, skip: process.platform === 'win32' }

test('one at a time, and one file is left', limit, async (t) => {
  const folder = temporaryFolder(t)
  let inside = 0
  let most = 0
  const work = async (value) => {
    most = Math.max(most, ++inside)
    await new Promise((resolve) => setTimeout(resolve, 5))
    inside--
    return value
  }
  const results = await Promise.all(
    [1, 2, 3, 4].map((value) => withNameLock(folder, 'web', () => work(value))),
  )
  assert.deepEqual([results, most, readdirSync(folder).length], [[1, 2, 3, 4], 1, 1])
})

test('an action that fails, and a process that was killed, hold up nobody', limit, async (t) => {
  const folder = temporaryFolder(t)
  const failing = () => withNameLock(folder, 'web', () => Promise.reject(new Error('no')))
  await assert.rejects(failing(), /no/)
  writeFileSync(join(folder, '.web.lock.7'), '4194305') // above what a process id can be
  assert.equal(await withNameLock(folder, 'web', () => Promise.resolve('taken')), 'taken')
  assert.deepEqual(readdirSync(folder), ['.web.lock.8'])
})

test(
  'the id of a process that was killed, which another one has by now, holds up nobody',
  { ...limit, timeout: 5000 },
  async (t) => {
    const folder = temporaryFolder(t)
    writeFileSync(join(folder, '.web.lock.7'), `${process.pid} 1`)
    assert.equal(await withNameLock(folder, 'web', () => Promise.resolve('taken')), 'taken')
  },
)

import assert from 'node:assert/strict'
import { statSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { makeFolder } from '../../../build/user/make-folder.js'
import { testFolder } from '../../helpers/files.js'

describe('makeFolder', () => {
  test('makes those above it too, and may find it there', (t) => {
    const path = testFolder(t)('a/b/c')
    makeFolder(path, 0o700)
    makeFolder(path, 0o700)
    const { mode } = statSync(path)
    if (process.platform !== 'win32') assert.equal(mode & 0o777, 0o700) // which has no modes
  })

  test('throws where a file is in its way', (t) => {
    const path = testFolder(t)
    writeFileSync(path('file'), '')
    assert.throws(() => makeFolder(path('file')), { code: 'EEXIST' })
    assert.throws(() => makeFolder(path('file/below')), { code: /^(ENOTDIR|ENOENT)$/ }) // on Windows the second
  })

  test('throws where no folder can be made, at once', { skip: process.platform !== 'linux' }, () => {
    assert.throws(() => makeFolder('/proc/threadwise/logs'), { code: 'ENOENT' })
  })
})

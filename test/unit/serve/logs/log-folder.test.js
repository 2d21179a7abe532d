// Where log files are, and whom it must not belong to.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { logFolder, logPath } from '../../../../build/serve/logs/log-folder.js'

describe('the folder for logs', { skip: process.platform === 'win32' }, () => {
  let root
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'threadwise-state-'))))
  afterEach(() => rmSync(root, { recursive: true, force: true }))
  const own = () => join(root, 'threadwise')
  const find = () => logFolder({ XDG_STATE_HOME: root })
  const refused = (reason) => ({ code: 'TW_ERR_LOG_FOLDER', message: reason })

  test('is made for its user alone, and found again', () => {
    assert.equal(find(), own())
    assert.equal(statSync(own()).mode & 0o777, 0o700)
    assert.equal(find(), own())
    assert.equal(logPath(own(), 'web'), join(own(), 'web.log'))
  })
  test('is refused when others may enter it, or it is a file', () => {
    mkdirSync(own())
    chmodSync(own(), 0o755)
    assert.throws(find, refused(/others may enter it/))
    rmSync(own(), { recursive: true })
    writeFileSync(own(), '')
    assert.throws(find, refused(/EEXIST|not a folder/))
  })
  test('lies in the home folder where no other place is given', (t) => {
    const before = statSync(homedir(), { throwIfNoEntry: false })
    if (!before) return t.skip('this user has no home folder')
    const HOME = process.env.HOME
    process.env.HOME = root
    try {
      assert.equal(logFolder({}), join(root, '.local/state/threadwise'))
    } finally {
      process.env.HOME = HOME
    }
  })
})

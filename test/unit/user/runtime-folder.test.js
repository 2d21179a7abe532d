// The folder of control sockets is used only when nobody else can get at it.
import assert from 'node:assert/strict'
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, afterEach, describe, test } from 'node:test'
import {
  otherRuntimeFolders,
  runtimeFolder,
  runtimeFolders,
  socketPath,
} from '../../../build/user/runtime-folder.js'

describe('the runtime folder', { skip: process.platform === 'win32' }, () => {
  let root
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'threadwise-runtime-'))))
  afterEach(() => rmSync(root, { recursive: true, force: true }))
  const own = () => join(root, 'threadwise')
  const find = () => runtimeFolder({ XDG_RUNTIME_DIR: root })
  const refused = (reason) => ({ code: 'TW_ERR_RUNTIME_FOLDER', message: reason })

  test('is that of a login, also for who has none, and both places are looked at', () => {
    const temporary = join(tmpdir(), `threadwise-${process.getuid()}`)
    const nowhere = join(root, 'nowhere')
    assert.equal(runtimeFolder({}, nowhere), temporary)
    assert.deepEqual(runtimeFolders({}, nowhere), [temporary])
    assert.deepEqual(runtimeFolders({}, root), [own(), temporary])
    assert.deepEqual(runtimeFolders({ XDG_RUNTIME_DIR: root }, root), [own(), temporary])
    chmodSync(root, 0o755)
    assert.equal(runtimeFolder({}, root), temporary, 'others may enter it')
    assert.deepEqual(runtimeFolders({}, root), [temporary, own()])
  })
  test('is the only one when the variable names a folder of its own, but for the one to which a service moves that has lost it', () => {
    const env = { XDG_RUNTIME_DIR: root, XDG_STATE_HOME: join(root, 'state') }
    assert.deepEqual(runtimeFolders(env, join(root, 'other')), [own()])
    const moved = [...otherRuntimeFolders(env)]
    assert.deepEqual(moved, [join(root, 'state/threadwise/run')])
    assert.deepEqual(runtimeFolders(env, join(root, 'other')), [own(), ...moved])
  })
  test('is made for its user alone, and found again', () => {
    assert.equal(find(), own())
    assert.equal(lstatSync(own()).mode & 0o777, 0o700)
    assert.equal(find(), own())
  })
  test('is refused when others may enter it', () => {
    mkdirSync(own())
    chmodSync(own(), 0o750)
    assert.throws(find, refused(/others may enter it/))
  })
  test('is refused when it is a link, a file, or cannot be made', () => {
    symlinkSync(root, own())
    assert.throws(find, refused(/not a folder/))
    rmSync(own())
    writeFileSync(own(), '')
    assert.throws(find, refused(/EEXIST|not a folder/))
    assert.throws(() => runtimeFolder({ XDG_RUNTIME_DIR: own() }), refused(/ENOTDIR/))
  })
  test(
    'is refused when it belongs to another user',
    { skip: process.getuid?.() !== 0 && 'only root can test it' },
    async () => {
      const { chownSync } = await import('node:fs')
      mkdirSync(own(), { mode: 0o700 })
      chownSync(own(), 12_345, 12_345)
      assert.throws(find, refused(/another user/))
    },
  )
  test('lies among temporary files where no other place is given', () => {
    assert.match(runtimeFolderPath(), new RegExp(`threadwise-${process.getuid()}$`))
  })
  test('a path that no socket can have is refused', () => {
    assert.equal(socketPath('/run/x', 'web'), join('/run/x', 'web.sock'))
    assert.throws(() => socketPath(`/${'x'.repeat(100)}`, 'web'), refused(/more than 103 bytes/))
  })
})

function runtimeFolderPath() {
  return runtimeFolder({}, '/nowhere')
}

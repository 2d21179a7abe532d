// Folders and packages that somebody else decides on.
import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { whyForeign } from '../../../build/user/foreign-path.js'
import { whyUnsafePackage } from '../../../build/user/safe-package.js'

const isRoot = process.getuid?.() === 0
const NOBODY = 65534
const top = mkdtempSync(join(tmpdir(), 'threadwise-test-'))
after(() => rmSync(top, { recursive: true, force: true }))

function packageIn(folder) {
  const path = join(top, folder, 'node_modules', 'thing')
  mkdirSync(path, { recursive: true })
  const file = join(path, 'index.js')
  writeFileSync(file, '')
  return { path, file, folder: join(top, folder) }
}

describe("somebody else's path", { skip: !isRoot && 'only root can give files to others' }, () => {
  test('is one that, or above which a folder, belongs to another user', () => {
    const { file, path } = packageIn('above')
    assert.equal(whyForeign(file), null)
    chownSync(path, NOBODY, NOBODY)
    assert.match(whyForeign(file), /thing belongs to somebody else \(uid 65534\)/)
    assert.equal(whyForeign(file, [NOBODY]), null)
  })

  test('is one that a link of another user leads to, or that a link leads to', () => {
    const { path, folder } = packageIn('links')
    symlinkSync(path, join(folder, 'own'))
    symlinkSync(path, join(folder, 'planted'))
    lchownSync(join(folder, 'planted'), NOBODY, NOBODY)
    assert.equal(whyForeign(join(folder, 'own', 'index.js')), null)
    assert.match(whyForeign(join(folder, 'planted', 'index.js')), /planted belongs to somebody else/)
    chownSync(path, NOBODY, NOBODY)
    assert.match(whyForeign(join(folder, 'own', 'index.js')), /thing belongs to somebody else/)
  })
})

describe('a package', { skip: process.platform === 'win32' && 'its files have no such modes' }, () => {
  test('is safe in the folder where one works, and above it', () => {
    const { file, folder } = packageIn('own')
    mkdirSync(join(folder, 'below'))
    assert.equal(whyUnsafePackage(file, folder), null)
    assert.equal(whyUnsafePackage(file, join(folder, 'below')), null)
  })

  test('is not where others may write into its folder, or into that of all packages', () => {
    const { file, path, folder } = packageIn('open')
    for (const each of [path, join(folder, 'node_modules')]) {
      chmodSync(each, 0o777)
      assert.match(whyUnsafePackage(file, folder), /others may write into/)
      chmodSync(each, 0o755)
    }
    assert.equal(whyUnsafePackage(file, folder), null)
  })

  test("is another user's above one's own folder, and not within a folder of that user", { skip: !isRoot && 'only root can give files to others' }, () => {
    const { file, path, folder } = packageIn('mounted')
    mkdirSync(join(folder, 'mine'))
    for (const each of [file, path, join(folder, 'node_modules')]) chownSync(each, NOBODY, NOBODY)
    assert.match(whyUnsafePackage(file, join(folder, 'mine')), /node_modules belongs to somebody else/)
    assert.match(whyUnsafePackage(file, folder), /node_modules belongs to somebody else/)
    chownSync(folder, NOBODY, NOBODY)
    assert.equal(whyUnsafePackage(file, folder), null)
  }) // prettier-ignore
})

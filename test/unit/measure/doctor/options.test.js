// The folder for what is written is doctor's own: it is looked at before the app is started.
import assert from 'node:assert/strict'
import { chmodSync, chownSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { resolveDoctor } from '../../../../build/measure/doctor/options.js'
import { temporaryFolder } from '../../../helpers/files.js'

describe('the folder', () => {
  const check = (t, prepare) => {
    const folder = temporaryFolder(t)
    const app = join(folder, 'app.js')
    writeFileSync(app, '')
    return () => resolveDoctor({ words: [app], out: prepare(folder) })
  }
  const made = (folder, ignored) => {
    const out = join(folder, 'out')
    mkdirSync(out)
    if (ignored !== undefined) writeFileSync(join(out, '.gitignore'), ignored)
    return out
  }
  const fine = {
    'that is new': (folder) => join(folder, 'a/b'),
    'that is empty': (folder) => made(folder),
    'of an earlier diagnosis': (folder) => made(folder, '*\n'),
  }
  for (const [title, prepare] of Object.entries(fine)) test(title, (t) => assert.ok(check(t, prepare)()))

  const refused = {
    'of the app, which would be kept out of git': [(folder) => folder, /a folder of its own, new or empty/],
    'whose files are in git': [(folder) => made(folder, 'node_modules\n'), /a folder of its own/],
    'that is a file': [(folder) => join(folder, 'app.js'), /a folder of its own/],
    'below a file': [(folder) => join(folder, 'app.js/x'), /a folder that can be written/],
    'without a name': [() => '', /a folder of its own/],
  }
  for (const [title, [prepare, message]] of Object.entries(refused)) {
    test(title, (t) => assert.throws(check(t, prepare), { code: 'TW_ERR_INVALID_OPTION', message }))
  }

  const isRoot = process.getuid?.() === 0
  const foreign = {
    'of another user': (folder) => {
      const out = made(folder)
      chownSync(out, 65534, 65534)
      return out
    },
    'behind the link of another user': (folder) => {
      const link = join(folder, 'link')
      symlinkSync(made(folder), link)
      lchownSync(link, 65534, 65534)
      return link
    },
    'of another user behind a link': (folder) => {
      const link = join(folder, 'link')
      const out = made(folder)
      symlinkSync(out, link)
      chownSync(out, 65534, 65534)
      return link
    },
  }
  for (const [title, prepare] of Object.entries(foreign))
    test(title, { skip: !isRoot && 'only root can give files to others' }, (t) => {
      const message = /yours alone \(it belongs to another user, uid 65534\)/
      assert.throws(check(t, prepare), { code: 'TW_ERR_INVALID_OPTION', message })
    })

  test('in which others may write', { skip: process.platform === 'win32' && 'no such modes' }, (t) => {
    const opened = (folder) => {
      const out = made(folder, '*\n')
      chmodSync(out, 0o777)
      return out
    }
    assert.throws(check(t, opened), { code: 'TW_ERR_INVALID_OPTION', message: /others may write into/ })
  })
})

test(
  'nothing is written through the link of another user',
  { skip: process.getuid?.() !== 0 && 'only root can give files to others' },
  (t) => {
    const folder = temporaryFolder(t)
    const app = join(folder, 'app.js')
    writeFileSync(app, '')
    const link = join(folder, 'link')
    symlinkSync(join(folder, 'not-there'), link)
    lchownSync(link, 65534, 65534)
    const ways = { patch: { trial: { patch: link } }, write: { write: link }, out: { out: join(link, 'x') } }
    for (const [option, given] of Object.entries(ways))
      assert.throws(() => resolveDoctor({ words: [app], ...given }), {
        code: 'TW_ERR_INVALID_OPTION',
        message: new RegExp(`${option}.*link is a link of another user`),
      })
  },
)

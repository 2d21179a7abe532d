// What others have put at the path of a report is not followed; one's own links are.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  appendOwnOutput,
  whyNotOwn,
  writeOwnOutput,
  writeOwnOutputBelow,
} from '../../../build/user/own-output.js'
import { temporaryFolder } from '../../helpers/files.js'

const skip = process.platform === 'win32' && 'the system has no owners'
const NOBODY = 65534
/** Only root can give something away. */
const asOther = { skip: process.getuid?.() !== 0 && 'needs root' }

/** A file of this user with something in it, and a folder where others may write. */
function places(t) {
  const folder = temporaryFolder(t)
  const mine = join(folder, 'mine')
  writeFileSync(mine, 'precious', { mode: 0o600 })
  const shared = join(folder, 'shared')
  mkdirSync(shared)
  chmodSync(shared, 0o777)
  return { mine, shared, content: () => readFileSync(mine, 'utf8') }
}

test(
  'a link of somebody else is refused, wherever it is on the way, and what it leads to stays',
  asOther,
  (t) => {
    const { mine, shared, content } = places(t)
    const plant = (name, target) => {
      symlinkSync(target, join(shared, name))
      lchownSync(join(shared, name), NOBODY, NOBODY)
    }
    plant('r.json', mine)
    plant('folder', join(mine, '..'))
    plant('new.json', join(shared, 'not-there'))
    symlinkSync(join(shared, 'r.json'), join(shared, 'own-to-planted'))
    for (const name of ['r.json', 'folder/mine', 'new.json', 'own-to-planted']) {
      const path = join(shared, name)
      assert.match(whyNotOwn(path), /is a link of another user$/)
      for (const write of [writeOwnOutput, appendOwnOutput, writeOwnOutputBelow])
        assert.throws(() => write(path, 'report'), /is not written: .* is a link of another user/)
    }
    assert.throws(() => writeOwnOutputBelow(join(shared, 'folder/new/r.json'), 'report'), /is a link of/)
    assert.equal(content(), 'precious')
    assert.deepEqual(readdirSync(join(mine, '..')), ['mine', 'shared'])
  },
)

test('a link of who decides anyway what is written is followed', asOther, (t) => {
  const { mine, shared, content } = places(t)
  symlinkSync(join(mine, '..'), join(shared, 'folder'))
  lchownSync(join(shared, 'folder'), NOBODY, NOBODY)
  writeOwnOutputBelow(join(shared, 'folder/mine'), 'code', [NOBODY])
  assert.equal(content(), 'code')
})

test('a pipe of somebody else is refused, and nobody waits for its reader', asOther, (t) => {
  const { shared } = places(t)
  const path = join(shared, 'r.json')
  execFileSync('mkfifo', [path])
  lchownSync(path, NOBODY, NOBODY)
  assert.throws(() => writeOwnOutput(path, 'report'), /is no file, and belongs to another user/)
})

test('new files, own links and files of a folder where others may write are written', { skip }, (t) => {
  const { mine, shared, content } = places(t)
  writeOwnOutput(join(shared, 'new.json'), 'report')
  assert.equal(readFileSync(join(shared, 'new.json'), 'utf8'), 'report')
  symlinkSync(mine, join(shared, 'link.json'))
  writeOwnOutput(join(shared, 'link.json'), 'report')
  assert.equal(content(), 'report')
  appendOwnOutput(join(shared, 'link.json'), ', and more')
  assert.equal(content(), 'report, and more')
  writeOwnOutputBelow(join(shared, 'a/b/c.json'), 'report')
  assert.equal(readFileSync(join(shared, 'a/b/c.json'), 'utf8'), 'report')
})

test('what the shell has opened is written: /dev/stdout, /dev/null', { skip }, () => {
  const module = import.meta.resolve('../../../build/user/own-output.js')
  const code = `import { writeOwnOutput } from ${JSON.stringify(module)}
    writeOwnOutput('/dev/null', 'x'); writeOwnOutput('/dev/stdout', 'report')`
  const output = execFileSync('sh', [
    '-c',
    '"$@" | cat',
    'sh',
    process.execPath,
    '--input-type=module',
    '-e',
    code,
  ])
  assert.equal(String(output), 'report')
})

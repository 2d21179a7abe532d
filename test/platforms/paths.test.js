// Task modules by paths of every form that the platform has.
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { inline, isThreadwiseError, processes, threads } from 'threadwise'
import { temporaryFolder } from '../helpers/files.js'

const isWindows = process.platform === 'win32'
const limit = { timeout: 60_000 }
const makers = { inline, threads, processes }
/** What is no letter of ASCII, or means something in a URL or a shell. Node imports nothing whose name holds a backslash. */
const names = [
  ...[
    'with spaces',
    'Zürich',
    '任务',
    'emoji 🧵',
    'a#b',
    'a%20b',
    '100%',
    "it's",
    '(x) [y] {z}',
    'a&b;c',
    '$HOME',
    'a+b=c,d',
  ],
  ...(isWindows ? [] : ['quo"te', 'a?b', 'a:b', 'new\nline', '*']),
]

for (const [kind, make] of Object.entries(makers))
  describe(kind, () => {
    test('runs tasks of folders and files of every name', limit, async (t) => {
      const root = temporaryFolder(t)
      for (const name of names) {
        const folder = join(root, name)
        mkdirSync(folder)
        const file = join(folder, `${name}.mjs`)
        writeFileSync(file, 'export const add = (a, b) => a + b\n')
        for (const module of [file, pathToFileURL(file), pathToFileURL(file).href]) assert.equal(await addBy(make, module), 42, String(module)) // prettier-ignore
      }
    })

    test(
      'takes each way of writing a path of Windows',
      { ...limit, skip: !isWindows && 'Windows' },
      async (t) => {
        const file = taskFile(t)
        const drive = file[0]
        const ways = [
          file.replaceAll('\\', '/'),
          drive.toLowerCase() + file.slice(1),
          drive.toUpperCase() + file.slice(1),
          file.toUpperCase().replace(/\.MJS$/, '.mjs'), // names differ in case only
          `\\\\?\\${file}`,
          pathToFileURL(file).href.replace(/^file:\/\/\//, 'file://localhost/'),
          pathToFileURL(file).href.replace(/^(file:\/\/\/.)/, (all) => all.toLowerCase()),
        ]
        for (const module of ways) assert.equal(await addBy(make, module), 42, module)
      },
    )

    test('takes a path of the network', { ...limit, skip: !isWindows && 'Windows' }, async (t) => {
      const file = taskFile(t)
      const share = `\\\\127.0.0.1\\${file[0]}$${file.slice(2)}` // a URL has no host "localhost"
      for (const module of [share, pathToFileURL(share)]) assert.equal(await addBy(make, module), 42, String(module)) // prettier-ignore
    })

    test('says of a file that is not there where it looked', limit, async (t) => {
      const missing = join(temporaryFolder(t), 'no such folder', 'tasks.mjs')
      await assert.rejects(addBy(make, missing), (error) => {
        assert.ok(isThreadwiseError(error), String(error))
        assert.ok(error.message.includes(missing) || error.message.includes(pathToFileURL(missing).href), error.message) // prettier-ignore
        return true
      })
    })
  })

test('a relative path is refused, with what to write', () => {
  const path = relative(process.cwd(), fileURLToPath(new URL('../fixtures/tasks/basic.js', import.meta.url)))
  assert.throws(() => threads(path), { code: 'TW_ERR_INVALID_OPTION', message: /absolute path/ })
})

test(
  'a folder behind a link is the one that it leads to',
  { ...limit, skip: isWindows && 'links need rights' },
  async (t) => {
    const root = realpathSync(temporaryFolder(t))
    mkdirSync(join(root, 'private'))
    symlinkSync(join(root, 'private'), join(root, 'link'))
    cpSync(taskFile(t), join(root, 'private/tasks.mjs'))
    for (const make of [threads, processes]) assert.equal(await addBy(make, join(root, 'link/tasks.mjs')), 42)
  },
)

function taskFile(t) {
  const file = join(realpathSync(temporaryFolder(t)), 'tasks.mjs')
  writeFileSync(file, 'export const add = (a, b) => a + b\n')
  return file
}

async function addBy(make, module) {
  const executor = make(module, make === inline ? {} : { size: 1 })
  try {
    return await executor.run('add', [40, 2])
  } finally {
    await executor.destroy()
  }
}

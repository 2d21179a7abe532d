// Which exports of a module are its tasks, and what is said when a name is none of them.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { loadTasks } from '../../../../build/runtime/task/load-task.js'
import { temporaryFolder } from '../../../helpers/files.js'

const moduleOf = (source) => `data:text/javascript,${encodeURIComponent(source)}`

async function loadFile(t, name, source) {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, name), source)
  return loadTasks(pathToFileURL(join(folder, name)).href)
}

test('functions of every kind are tasks, the default export by the name default', async () => {
  const { find: findTask } = await loadTasks(
    moduleOf(`
      export function plain() { return 'plain' }
      export const arrow = () => 'arrow'
      export async function later() { return 'later' }
      export default function () { return 'default' }
    `),
  )
  assert.equal(findTask('plain')(), 'plain')
  assert.equal(findTask('arrow')(), 'arrow')
  assert.equal(await findTask('later')(), 'later')
  assert.equal(findTask('default')(), 'default')
})

test('functions in an object that is the default export are tasks; a named export goes first', async () => {
  const { find: findTask } = await loadTasks(
    moduleOf(`
      export const both = () => 'named'
      export default { both: () => 'default', only: () => 'only', number: 1 }
    `),
  )
  assert.equal(findTask('both')(), 'named')
  assert.equal(findTask('only')(), 'only')
  assert.throws(() => findTask('number'), { code: 'TW_ERR_TASK_NOT_FOUND' })
})

test('a CommonJS file gives its exports, also those that only running it shows', async (t) => {
  const source = `const name = ['dy', 'namic'].join(''); module.exports = { plain: () => 1, [name]: () => 2 }`
  const { find: findTask } = await loadFile(t, 'tasks.cjs', source)
  assert.equal(findTask('plain')(), 1)
  assert.equal(findTask('dynamic')(), 2)
})

test('a name that is no task is refused with the module and the names that are', async () => {
  const url = moduleOf('export const a = () => 1, b = () => 2, notATask = 3')
  const { find: findTask } = await loadTasks(url)
  for (const name of ['missing', 'notATask', '', 'toString', 'constructor', '__proto__', 'hasOwnProperty']) {
    assert.throws(
      () => findTask(name),
      (error) => {
        assert.equal(error.code, 'TW_ERR_TASK_NOT_FOUND')
        assert.ok(error.message.includes(url))
        assert.ok(error.message.includes(JSON.stringify(name)))
        assert.match(error.message, /It exports: a, b\./)
        return true
      },
    )
  }
})

test('a module without a function says that it exports nothing', async () => {
  const { find: findTask } = await loadTasks(moduleOf('export const number = 1; export default null'))
  assert.throws(() => findTask('number'), /It exports: nothing\./)
})

test('a module that does not load rejects with its own error', async () => {
  await assert.rejects(loadTasks(moduleOf('throw new RangeError("broken")')), { name: 'RangeError' })
  await assert.rejects(loadTasks('file:///no/such/file.js'), { code: 'ERR_MODULE_NOT_FOUND' })
})

// What names a task module, and what the refusal of a name says.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resolveModule } from '../../../../build/runtime/executor/task-module.js'

const refusal = (name) => {
  try {
    return assert.fail(resolveModule(name))
  } catch (error) {
    assert.equal(error.code, 'TW_ERR_INVALID_OPTION', error.message)
    return error.message
  }
}

test('a name of a package is refused with what finds its module', () => {
  for (const name of ['@acme/tasks', '@acme/tasks/pages', 'tasks', 'tasks/pages', '#tasks'])
    assert.match(refusal(name), new RegExp(`import\\.meta\\.resolve\\("${name}"\\), got`), name)
})

test('a path that is not absolute is refused without', () => {
  for (const name of ['./tasks.js', 'tasks.js', 'src/tasks.ts', '../tasks', ''])
    assert.doesNotMatch(refusal(name), /import\.meta\.resolve/, name)
})

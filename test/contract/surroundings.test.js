// A task finds what the program of a file finds, though our code in a worker has no file.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeExecutors } from '../helpers/executors.js'

describeExecutors('what a task finds around it', (make, { kind }) => {
  const executor = make('surroundings.js')

  test('no global of a script, and all of the language', async () => {
    assert.deepEqual(await executor.tasks.globals(), [])
    assert.deepEqual(await executor.tasks.leftOfProcess(), [])
  })

  test('the name of a program, and no option or data of ours', async () => {
    assert.equal(await executor.tasks.program(), 'string')
    const added = (await executor.tasks.options()).filter((option) => !process.execArgv.includes(option))
    assert.deepEqual(added, [])
    const seen = await executor.tasks.dataNames()
    for (const name of ['code', 'counters', 'init']) assert.equal(seen.includes(name), false, name)
  })

  test('child processes and threads of its own', async () => {
    assert.deepEqual(await executor.tasks.descendants(), [0, 1])
  })

  const skip = kind !== 'processes' && 'it is an option of a whole process'
  test('its import() also where Node may not make code of text', { skip }, async () => {
    const strict = make('surroundings.js', { size: 1, execArgv: ['--disallow-code-generation-from-strings'] })
    assert.deepEqual(await strict.tasks.globals(), [])
  })
})

// A task finds what the program of a file finds, though our code in a worker has no file.
import assert from 'node:assert/strict'
import { realpathSync } from 'node:fs'
import { test } from 'node:test'
import { describeExecutors } from '../helpers/executors.js'
import { testFolder } from '../helpers/files.js'

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

describeExecutors('arguments and directory of workers', (make, { kind, isPool }) => {
  if (!isPool) return

  test('argv is what a program would have, and nothing of ours', async () => {
    const options = { size: 1, maxBlock: 0 }
    assert.deepEqual(await make('surroundings.js', options).tasks.argv(), [])
    const argv = ['--config', 'a b.json']
    assert.deepEqual(await make('surroundings.js', { argv, ...options }).tasks.argv(), argv)
  })

  test('cwd is for processes; threads say why not', async (t) => {
    const cwd = testFolder(t)('.')
    if (kind !== 'processes')
      return assert.throws(() => make('surroundings.js', { cwd }), {
        code: 'TW_ERR_INVALID_OPTION',
        message: /cwd.*processes/,
      })
    assert.equal(realpathSync(await make('surroundings.js', { cwd }).tasks.directory()), realpathSync(cwd))
    assert.throws(() => make('surroundings.js', { cwd: `${cwd}/missing` }), { code: 'TW_ERR_INVALID_OPTION' })
  })
})

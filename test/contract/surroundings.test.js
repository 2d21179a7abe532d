// A task finds what the program of a file finds, though our code in a worker has no file.
import assert from 'node:assert/strict'
import { realpathSync } from 'node:fs'
import { relative } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
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

describeExecutors('what Node runs before a worker', (make, { kind, isPool }) => {
  if (!isPool) return
  const module = 'data:text/javascript,globalThis.before=process.argv.length'
  const options = { size: 1, maxBlock: 0, argv: ['a', 'b'] }

  test('modules of --import, as an option and in a variable, and then all is as without', async () => {
    for (const given of [
      { execArgv: ['--import', module] },
      { execArgv: [`--import=${module}`] },
      { env: { NODE_OPTIONS: `--import "${module}"` } },
    ]) {
      const { tasks } = make('surroundings.js', { ...options, ...given })
      assert.equal(typeof (await tasks.before()), 'number', JSON.stringify(given))
      assert.deepEqual(await tasks.argv(), options.argv)
      assert.equal(await tasks.program(), 'string')
      assert.deepEqual([await tasks.globals(), await tasks.leftOfProcess()], [[], []])
      assert.deepEqual(await tasks.descendants(), [0, 1])
    }
  })

  test('one that is missing is told, with what may be missing', async () => {
    const { tasks } = make('surroundings.js', { ...options, execArgv: ['--import', './missing.js'] })
    await assert.rejects(tasks.argv(), { code: 'TW_ERR_START_FAILED', message: /execArgv, NODE_OPTIONS/ })
  })

  const skip = kind !== 'processes' && 'threads have the directory of the program'
  test(
    'is found from where the program was started, wherever the worker is, and the program',
    { skip },
    async (t) => {
      const [home, cwd] = [process.cwd(), testFolder(t)('.')]
      const file = relative(home, fileURLToPath(new URL('../fixtures/before.cjs', import.meta.url)))
      const execArgv = ['--require', `./${file.replaceAll('\\', '/')}`]
      const { tasks } = make('surroundings.js', { ...options, execArgv, cwd })
      assert.equal(await tasks.before(), 'required')
      assert.equal(realpathSync(await tasks.directory()), realpathSync(cwd))
      process.chdir(cwd)
      t.after(() => process.chdir(home))
      const other = make('surroundings.js', { ...options, execArgv }).tasks
      assert.equal(await other.before(), 'required')
      assert.equal(await other.directory(), process.cwd())
    },
  )
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

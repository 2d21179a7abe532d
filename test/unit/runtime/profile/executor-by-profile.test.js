// executor(): runs the task where the saved measurement found it best.
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { beforeEach, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { executor } from 'threadwise'
import { saveProfile } from '../../../../build/runtime/profile/profile.js'
import { testFolder } from '../../../helpers/files.js'

const tasks = new URL('../../../fixtures/measured/tasks.js', import.meta.url)
const sentence = 'Run add there.'

/** A package whose profile says `choices`, each [task, cpus, executor, size]. */
function makePackage(t, ...choices) {
  const path = testFolder(t)
  mkdirSync(path('src'))
  writeFileSync(path('package.json'), '{"type":"module"}')
  copyFileSync(tasks, path('src/tasks.js'))
  const module = pathToFileURL(path('src/tasks.js'))
  const entries = choices.map(([task, cpus, kind, size]) => ({
    task,
    cpus,
    executor: kind,
    size,
    sentence,
    measuredAt: '2026-01-01T00:00:00.000Z',
    node: 'v22.0.0',
  }))
  const file = entries.length > 0 ? saveProfile(module.href, entries) : path('threadwise.json')
  return { path, module, file }
}

async function made(t, module, options) {
  const pool = executor(module, options)
  t.after(() => pool.destroy())
  return { pool, kind: pool.kind, ...pool.stats().profile }
}

const before = process.env.THREADWISE_CPUS
beforeEach((t) => {
  process.env.THREADWISE_CPUS = '2'
  t.after?.(() => {
    if (before === undefined) delete process.env.THREADWISE_CPUS
    else process.env.THREADWISE_CPUS = before
  })
})

describe('executor()', () => {
  test('finds the profile above the module, runs the task there, and says what it chose', async (t) => {
    const { module, file } = makePackage(t, ['add', 2, 'threads', 2], ['add', 0.6, 'inline', 1])
    const { pool, kind, ...profile } = await made(t, module)
    assert.equal(kind, 'threads')
    assert.deepEqual(profile, { file, measuredCpus: 2, budgetCpus: 2, sentence })
    assert.equal(await pool.tasks.add(20, 22), 42)
    assert.equal(await pool.run('add', [1, 2]), 3)
    await pool.close()
  })

  test('follows the CPU budget that it finds', async (t) => {
    const { module } = makePackage(t, ['add', 4, 'processes', 4], ['add', 0.6, 'concurrent', 16])
    process.env.THREADWISE_CPUS = '0.5'
    const small = await made(t, module)
    assert.deepEqual([small.kind, small.measuredCpus, small.budgetCpus], ['concurrent', 0.6, 0.5])
    process.env.THREADWISE_CPUS = '2'
    const large = await made(t, module)
    assert.deepEqual([large.kind, large.measuredCpus, large.budgetCpus], ['processes', 4, 2])
    await large.pool.ready
    assert.equal(large.pool.stats().size, 2)
  })

  test('takes no size from the profile where the program says how many workers there are', async (t) => {
    const { module } = makePackage(t, ['add', 2, 'threads', 2])
    const workers = async (options) => (await made(t, module, options)).pool.size
    assert.deepEqual([await workers({}), await workers({ budget: 1 }), await workers({ size: 3 })], [2, 1, 3])
    t.after(() => delete process.env.THREADWISE_EXECUTOR)
    process.env.THREADWISE_EXECUTOR = 'threads:2'
    assert.equal(await workers({ budget: 1 }), 2, 'the experiment')
    process.env.THREADWISE_EXECUTOR = 'threads'
    assert.equal(await workers({ budget: 1 }), 1)
  })

  test('reads the profile that it is given, as a path, a relative path, a URL or its text', async (t) => {
    const { module, file, path } = makePackage(t, ['add', 2, 'inline', 1])
    const moved = path('other.json')
    renameSync(file, moved)
    const url = pathToFileURL(moved)
    for (const profile of [moved, relative(process.cwd(), moved), url, url.href])
      assert.equal((await made(t, module, { profile })).kind, 'inline', String(profile))
  })

  test('follows the task that it is told where tasks differ', async (t) => {
    const { module } = makePackage(t, ['add', 2, 'inline', 1], ['burn', 2, 'concurrent', 4])
    const { kind, file, sentence } = await made(t, module)
    assert.deepEqual([kind, file], ['inline', null])
    assert.match(sentence, /which of its tasks to follow, and they differ; pass \{ task \}/)
    assert.equal((await made(t, module, { task: 'burn' })).kind, 'concurrent')
    const none = await made(t, module, { task: 'none', fallback: 'concurrent' })
    assert.equal(none.kind, 'concurrent')
    assert.match(none.sentence, /says nothing about task none; it was measured for add, burn/)
  })

  test('fails no start for a measurement that tells nothing: it runs inline, and warns once of what to do', async (t) => {
    const { module, file, path } = makePackage(t)
    const warnings = []
    const isOurs = ({ code, message }) => code === 'TW_WARN_NOT_MEASURED' && message.includes(String(module))
    const listen = (warning) => isOurs(warning) && warnings.push(warning.message)
    process.on('warning', listen)
    t.after(() => process.off('warning', listen))
    const isInline = async (options) => {
      const { pool, kind, sentence, file, measuredCpus, budgetCpus } = await made(t, module, options)
      assert.equal(await pool.run('add', [1, 2]), 3)
      assert.deepEqual([kind, file, measuredCpus], ['inline', null, null])
      assert.ok(budgetCpus > 0)
      await new Promise((resolve) => setImmediate(resolve))
      assert.equal(warnings.at(-1), sentence)
    }
    for (let times = 0; times < 2; times++) await isInline()
    assert.match(
      warnings[0],
      /run on inline: No threadwise\.json was found .* Run "threadwise measure FILE --save" first/,
    )
    assert.equal(warnings.length, 1)
    await isInline({ profile: path('none.json') })
    writeFileSync(file, '{"version":1,"modules":{}}')
    await isInline()
    assert.equal(warnings.length, 3)
    assert.match(warnings[2], /says nothing about .*tasks\.js/)
  })

  test('a broken profile is an error: nobody knows what it has said', (t) => {
    const { module, file } = makePackage(t)
    writeFileSync(file, 'no JSON')
    assert.throws(() => executor(module), { code: 'TW_ERR_PROFILE_INVALID' })
  })

  test('refuses options that it cannot use', (t) => {
    const { module } = makePackage(t, ['add', 2, 'inline', 1])
    assert.throws(() => executor(module, { profile: 5 }), {
      code: 'TW_ERR_INVALID_OPTION',
      message: /^profile/,
    })
    assert.throws(() => executor('./tasks.js'), { code: 'TW_ERR_INVALID_OPTION', message: /^module/ })
    assert.throws(() => executor('data:text/javascript,'), {
      code: 'TW_ERR_INVALID_OPTION',
      message: /^module/,
    })
  })

  test('gives the fallback as long as nothing was measured for the module', async (t) => {
    const { module, file } = makePackage(t)
    const fallback = 'threads'
    for (const text of [undefined, '{"version":1,"modules":{}}']) {
      if (text) writeFileSync(file, text)
      const { pool, kind } = await made(t, module, { fallback, size: 1 })
      assert.deepEqual([kind, pool.size, pool.stats().profile.file], ['threads', 1, null])
      assert.equal(await pool.run('add', [1, 2]), 3)
    }
    writeFileSync(file, 'no JSON')
    assert.throws(() => executor(module, { fallback }), { code: 'TW_ERR_PROFILE_INVALID' })
    assert.throws(() => executor(module, { fallback: 'fibers' }), {
      message: /^fallback must be one of inline/,
    })
  })

  test('keeps to what was measured although there is a fallback', async (t) => {
    const { module } = makePackage(t, ['add', 2, 'inline', 1], ['burn', 2, 'concurrent', 4])
    assert.equal((await made(t, module, { task: 'burn', fallback: 'threads' })).kind, 'concurrent')
  })

  test('takes the options of the executor that it chooses, and refuses those that none has', async (t) => {
    const { module } = makePackage(t, ['add', 2, 'threads', 2])
    const { pool } = await made(t, module, { name: 'sums', maxQueue: 0, size: 1 })
    assert.deepEqual([pool.stats().name, pool.size], ['sums', 1])
    assert.throws(() => executor(module, { maxQeue: 1 }), { message: /did you mean maxQueue/ })
  })

  test('knows a module that was measured as source by its build, and the other way round', async (t) => {
    const { module, path } = makePackage(t, ['add', 2, 'concurrent', 4])
    mkdirSync(path('dist'))
    copyFileSync(module, path('dist/tasks.mjs'))
    copyFileSync(module, path('dist/other.mjs'))
    assert.equal((await made(t, pathToFileURL(path('dist/tasks.mjs')))).kind, 'concurrent')
    assert.equal((await made(t, pathToFileURL(path('dist/other.mjs')))).file, null)
  })

  test('THREADWISE_EXECUTOR overrides all of it', async (t) => {
    t.after(() => delete process.env.THREADWISE_EXECUTOR)
    const { module } = makePackage(t, ['add', 2, 'inline', 1])
    for (const [text, kind, size] of [
      ['threads:1', 'threads', 1],
      ['concurrent:7', 'concurrent', 7],
      ['processes', 'processes', 3],
    ]) {
      process.env.THREADWISE_EXECUTOR = text
      const { pool } = await made(t, module, { size: 3, concurrency: 5 })
      assert.deepEqual([pool.kind, pool.size], [kind, size])
    }
    for (const text of ['fibers', 'threads:0', 'threads:x', ':4']) {
      process.env.THREADWISE_EXECUTOR = text
      assert.throws(() => executor(module), { message: /^THREADWISE_EXECUTOR must be one of inline/ })
    }
  })
})

// threadwise.json: what is saved is found again, and a broken file is neither believed nor overwritten.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { chooseEntry } from '../../../../build/runtime/profile/choose.js'
import { findProfile, readProfile } from '../../../../build/runtime/profile/profile.js'
import { saveProfile } from '../../../../build/runtime/profile/profile.js'
import { testFolder } from '../../../helpers/files.js'

const choice = (task, cpus, executor, size = 1) => ({
  task,
  cpus,
  executor,
  size,
  sentence: `Run ${task} on ${executor}.`,
  measuredAt: '2026-01-01T00:00:00.000Z',
  node: 'v22.0.0',
})

/** A package with a task module in src/. */
function makePackage(t, { withPackage = true } = {}) {
  const path = testFolder(t)
  mkdirSync(path('src'))
  if (withPackage) writeFileSync(path('package.json'), '{}')
  const moduleOf = (name) => pathToFileURL(path(`src/${name}.js`)).href
  return { path, module: moduleOf('tasks'), moduleOf, file: path('threadwise.json') }
}

describe('saveProfile', () => {
  test('writes beside the package.json, by a path that holds on every machine', (t) => {
    const { module, file, path } = makePackage(t)
    assert.equal(saveProfile(module, [choice('render', 2, 'threads', 2)]), file)
    const entry = choice('render', 2, 'threads', 2)
    delete entry.task
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), {
      version: 1,
      modules: { 'src/tasks.js': { render: [entry] } },
    })
    assert.deepEqual(readdirSync(path('')).sort(), ['package.json', 'src', 'threadwise.json'])
  })

  test('replaces the choices of its tasks and keeps those of other tasks and modules', (t) => {
    const { module, moduleOf, file } = makePackage(t)
    saveProfile(moduleOf('other'), [choice('sort', 1, 'inline')])
    saveProfile(module, [choice('render', 1, 'inline'), choice('parse', 2, 'threads', 2)])
    saveProfile(module, [choice('render', 2, 'processes', 2), choice('render', 0.6, 'inline')])
    const { modules } = readProfile(file)
    const short = (entries) => entries.map(({ cpus, executor, size }) => [cpus, executor, size])
    assert.deepEqual(Object.keys(modules).sort(), ['src/other.js', 'src/tasks.js'])
    assert.deepEqual(short(modules['src/tasks.js'].parse), [[2, 'threads', 2]])
    assert.deepEqual(short(modules['src/tasks.js'].render), [
      [2, 'processes', 2],
      [0.6, 'inline', 1],
    ])
    assert.deepEqual(short(modules['src/other.js'].sort), [[1, 'inline', 1]])
  })

  test('does not overwrite a broken profile', (t) => {
    const { module, file } = makePackage(t)
    writeFileSync(file, '{ "version": 1,')
    assert.throws(() => saveProfile(module, [choice('render', 2, 'inline')]), {
      code: 'TW_ERR_PROFILE_INVALID',
    })
    assert.equal(readFileSync(file, 'utf8'), '{ "version": 1,')
  })
})

describe('findProfile', () => {
  test('looks in the folder of the module and in those above it', (t) => {
    const { module, file } = makePackage(t)
    saveProfile(module, [choice('render', 2, 'inline')])
    const found = findProfile(module)
    assert.equal(found.file, file)
    assert.equal(found.profile.version, 1)
  })

  test('takes the nearest', (t) => {
    const { module, file, path } = makePackage(t)
    writeFileSync(file, 'broken')
    writeFileSync(path('src/threadwise.json'), '{"version":1,"modules":{}}')
    assert.equal(findProfile(module).file, path('src/threadwise.json'))
  })

  test('says where it looked when there is none', (t) => {
    const { module, path } = makePackage(t)
    assert.throws(
      () => findProfile(module),
      ({ code, message }) => code === 'TW_ERR_PROFILE_NOT_FOUND' && message.includes(dirname(path('src/x'))),
    )
  })
})

describe('a profile is refused', () => {
  const good = { cpus: 1, executor: 'inline', size: 1, sentence: 'x' }
  const entries = (changes) => ({ version: 1, modules: { m: { t: [{ ...good, ...changes }] } } })
  const broken = {
    'that is not JSON': ['{', /is not JSON/],
    'that is a list': ['[]', /version must be 1/],
    'that is null': ['null', /version must be 1/],
    'of another version': ['{"version":2,"modules":{}}', /version must be 1/],
    'without modules': ['{"version":1}', /no modules/],
    'whose module is a list': ['{"version":1,"modules":{"m":[]}}', /m must map tasks/],
    'without a choice for a task': ['{"version":1,"modules":{"m":{"t":[]}}}', /choices for t of m/],
    'whose choice is null': ['{"version":1,"modules":{"m":{"t":[null]}}}', /malformed/],
    'with an unknown executor': [entries({ executor: 'rockets' }), /malformed/],
    'with no CPUs': [entries({ cpus: 0 }), /malformed/],
    'with CPUs in text': [entries({ cpus: '2' }), /malformed/],
    'with half a worker': [entries({ size: 0.5 }), /malformed/],
    'without a sentence': [entries({ sentence: undefined }), /malformed/],
  }
  for (const [title, [content, pattern]] of Object.entries(broken)) {
    test(title, (t) => {
      const file = testFolder(t)('threadwise.json')
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
      assert.throws(
        () => readProfile(file),
        ({ code, message }) =>
          code === 'TW_ERR_PROFILE_INVALID' && pattern.test(message) && message.includes(file),
      )
    })
  }

  test('that is not there', (t) => {
    assert.throws(() => readProfile(testFolder(t)('none.json')), { code: 'TW_ERR_PROFILE_NOT_FOUND' })
  })

  test('that is a folder', (t) => {
    assert.throws(() => readProfile(testFolder(t)('')), { code: 'TW_ERR_PROFILE_INVALID' })
  })
})

describe('chooseEntry', () => {
  const file = '/app/threadwise.json'
  const module = 'file:///app/src/tasks.js'
  const profileOf = (...choices) => {
    const tasks = {}
    for (const { task, ...entry } of choices) (tasks[task] ??= []).push(entry)
    return { version: 1, modules: { 'src/tasks.js': tasks } }
  }
  const choose = (profile, cpus, changes = {}) => {
    const { executor, size } = chooseEntry(profile, { file, module, task: undefined, cpus, ...changes })
    return [executor, size]
  }
  const ladder = profileOf(
    choice('render', 0.6, 'inline'),
    choice('render', 2, 'threads', 2),
    choice('render', 8, 'processes', 8),
  )

  test('takes the limit that is nearest to the budget, as a ratio', () => {
    assert.deepEqual(choose(ladder, 0.25), ['inline', 1])
    assert.deepEqual(choose(ladder, 1), ['inline', 1])
    assert.deepEqual(choose(ladder, 2), ['threads', 2])
    assert.deepEqual(choose(ladder, 64), ['processes', 8])
  })

  test('cuts a pool down to the CPUs that are there, but no concurrency', () => {
    assert.deepEqual(choose(ladder, 5), ['processes', 5])
    assert.deepEqual(choose(ladder, 1.5), ['threads', 1])
    assert.deepEqual(choose(profileOf(choice('read', 2, 'concurrent', 64)), 0.5), ['concurrent', 64])
  })

  test('needs a task only where the tasks of the module differ', () => {
    const agreeing = profileOf(choice('a', 2, 'threads', 2), choice('b', 2, 'threads', 2))
    assert.deepEqual(choose(agreeing, 2), ['threads', 2])
    const differing = profileOf(choice('a', 2, 'threads', 2), choice('b', 2, 'inline'))
    assert.deepEqual(choose(differing, 2, { task: 'b' }), ['inline', 1])
    assert.throws(() => choose(differing, 2), {
      code: 'TW_ERR_PROFILE_MISMATCH',
      message: /they differ; pass \{ task \}.* a, b\./,
    })
  })

  test('refuses a module that it does not know, and names those that it knows', () => {
    assert.throws(() => choose(ladder, 2, { module: 'file:///app/src/other.js' }), {
      code: 'TW_ERR_PROFILE_MISMATCH',
      message: /src\/other\.js.* src\/tasks\.js/,
    })
    const empty = { version: 1, modules: { 'src/tasks.js': {} } }
    assert.throws(() => choose(empty, 2), { code: 'TW_ERR_PROFILE_MISMATCH' })
  })

  for (const task of ['other', 'constructor', 'toString', '__proto__']) {
    test(`refuses the unknown task ${task}`, () => {
      assert.throws(() => choose(ladder, 2, { task }), {
        code: 'TW_ERR_PROFILE_MISMATCH',
        message: new RegExp(`task ${task}`),
      })
    })
  }
})

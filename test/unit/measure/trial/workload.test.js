// Workloads: every form that is accepted, and a clear reason for what is not.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { defineWorkload, loadWorkload, workloadUrl } from '../../../../build/measure/trial/workload.js'

const fixture = (name) => new URL(`../../../fixtures/workloads/${name}`, import.meta.url)
const module = new URL('../../../fixtures/measured/tasks.js', import.meta.url)
const load = (name) => loadWorkload({ kind: 'file', url: fixture(name).href })
const invalid = (pattern) => (error) => {
  assert.equal(error.code, 'TW_ERR_WORKLOAD_INVALID', String(error))
  assert.match(error.message, pattern)
  return true
}

describe('defineWorkload', () => {
  test('tells the name that was meant', () => {
    const definition = { module: new URL('file:///tasks.js'), task: 'render', input: [[1]] }
    const error = invalid(
      /it has no input \(did you mean inputs\?\); there are module, task, variants, inputs/,
    )
    assert.throws(() => defineWorkload(definition), error)
  })

  test('gives back what it was given', () => {
    const definition = { module, task: 'add' }
    assert.equal(defineWorkload(definition), definition)
  })

  const accepted = {
    'a URL text as module': { module: module.href, task: 'add' },
    'a function of the number of the call': { module, task: 'add', inputs: (i) => [i] },
    'variants with inputs for all': { module, variants: { a: 'add', b: 'burn' }, inputs: [[1]] },
    'variants with inputs of their own': { module, variants: { a: 'add', b: 'add' }, inputs: { a: [[1]] } },
    'inputs under the name of the only task': { module, task: 'add', inputs: { add: [[1]] } },
  }
  for (const [title, definition] of Object.entries(accepted)) {
    test(`accepts ${title}`, () => assert.doesNotThrow(() => defineWorkload(definition)))
  }

  const refused = {
    'nothing at all': [undefined, /must be an object/],
    'a text': ['add', /must be an object/],
    'no module': [{ task: 'add' }, /`module` must be a URL/],
    'a relative path as module': [{ module: './tasks.js', task: 'add' }, /`module` must be a URL/],
    'neither task nor variants': [{ module }, /either `task` or `variants`/],
    'both task and variants': [{ module, task: 'a', variants: { a: 'a' } }, /either `task` or `variants`/],
    'no variant': [{ module, variants: {} }, /`variants` is empty/],
    'a variant that names no function': [{ module, variants: { a: 1 } }, /variant a must name a function/],
    'an empty task name': [{ module, task: '' }, /must name a function/],
    'an empty list of inputs': [{ module, task: 'add', inputs: [] }, /a list of argument lists/],
    'arguments without their list': [{ module, task: 'add', inputs: [1, 2] }, /a list of argument lists/],
    'inputs that are a text': [{ module, task: 'add', inputs: 'x' }, /a list of argument lists/],
    'inputs that are null': [{ module, task: 'add', inputs: null }, /a list of argument lists/],
    'bad inputs of one variant': [
      { module, variants: { a: 'add', b: 'add' }, inputs: { b: [1] } },
      /inputs of b must be a list/,
    ],
    'inputs for a variant that is not there': [
      { module, variants: { long: 'add' }, inputs: { lnog: [[1]] } },
      /inputs for lnog, but its variants are long/,
    ],
  }
  for (const [title, [definition, pattern]] of Object.entries(refused)) {
    test(`refuses ${title}`, () => assert.throws(() => defineWorkload(definition), invalid(pattern)))
  }
})

describe('loadWorkload', () => {
  test('loads the default export of a file, and cycles its inputs', async () => {
    const workload = await load('render.workload.js')
    assert.equal(workload.module, module.href)
    assert.deepEqual(workload.variants, { add: 'add' })
    assert.deepEqual(
      [0, 1, 2, 3].map((call) => workload.argumentsOf('add', call)),
      [[1, 2], [3], [1, 2], [3]],
    )
  })

  test('takes a task of a module without loading it', async () => {
    const url = 'file:///there/is/no/such/tasks.js'
    const workload = await loadWorkload({ kind: 'task', url, task: 'add', inputs: [[5]] })
    assert.equal(workload.module, url)
    assert.deepEqual(workload.argumentsOf('add', 9), [5])
  })

  test('says which functions could be measured when there is no workload', async () => {
    await assert.rejects(load('no-workload.js'), invalid(/--task parse \(found: parse, render\)/))
  })

  test('refuses another default export', async () => {
    await assert.rejects(
      load('other-default.js'),
      invalid(/default export is not a workload; if it starts a server, add --server\. /),
    )
  })

  test('refuses a workload whose module would depend on the working directory', async () => {
    await assert.rejects(load('relative-module.js'), invalid(/`module` must be a URL/))
  })

  test('keeps the cause of a file that does not load', async () => {
    await assert.rejects(load('throws.js'), (error) => {
      invalid(/does not load: Error: broken on purpose/)(error)
      assert.equal(error.cause.message, 'broken on purpose')
      return true
    })
  })
})

describe('workloadUrl', () => {
  const file = fixture('render.workload.js')

  test('takes a path, a file URL and its text', () => {
    for (const given of [fileURLToPath(file), file, file.href]) assert.equal(workloadUrl(given), file.href)
  })

  test('refuses what is no file', () => {
    assert.throws(() => workloadUrl(fixture('missing.js')), invalid(/no such file/))
    assert.throws(() => workloadUrl(fixture('')), invalid(/no such file/))
    assert.throws(() => workloadUrl(new URL('https://example.org/w.js')), invalid(/must be a file/))
  })
})

// How a task module may be given, and what is said when it, or something that it needs, is not there.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { concurrent, inline } from 'threadwise'
import * as basic from '../fixtures/tasks/basic.js'
import { describeExecutors, rejection, taskModule } from '../helpers/executors.js'

const url = taskModule('basic.js')
/** As webpack makes them, and as they come from another realm: not an instance of the URL that we know. */
const urlLike = runInContext(`({ href: ${JSON.stringify(url.href)}, toString() { return this.href } })`, createContext({})) // prettier-ignore

describeExecutors('a task module', (make) => {
  for (const [form, module] of [
    ['a URL', url],
    ['the text of a URL', url.href],
    ['an absolute path', fileURLToPath(url)],
    ['a URL of another realm', urlLike],
    ['a URL with a query', new URL('?version=2', url)],
    ['a URL without an ending', new URL('basic', url)],
    ['a path without an ending', fileURLToPath(new URL('basic', url))],
  ]) {
    test(`is given as ${form}`, async () => assert.equal(await make({ module }).run('add', [1, 2]), 3))
  }

  test('that is written in TypeScript is found by the name of its JavaScript', async () => {
    const executor = make('typed.js')
    if (process.features.typescript) return assert.equal(await executor.run('add', [1, 2]), 3)
    const { code, message } = await rejection(executor.run('add', [1, 2]))
    assert.equal(code, 'TW_ERR_START_FAILED')
    assert.match(message, /typed\.ts: .*does not run TypeScript; use Node 22\.18/)
  })

  test('that is not there is told from one whose import is not there', async () => {
    const missing = await rejection(make('no-such-file.js').run('add', [1, 2]))
    assert.match(
      missing.message,
      /no-such-file\.js.*The task module itself is not there\. .*threadwise\/unplugin.*docs\/bundlers\.md/,
    )
    const incomplete = await rejection(make('imports-missing.js').run('add', [1, 2]))
    assert.match(incomplete.message, /no-such-file\.js.*The task module is there, but not what it imports/)
    assert.equal(incomplete.cause.code, 'ERR_MODULE_NOT_FOUND')
  })
})

for (const create of [inline, concurrent]) {
  describe(`${create.name}: a module that the caller's own thread loads`, () => {
    for (const [form, module] of [
      ['its import', () => import('../fixtures/tasks/basic.js')],
      ['a function that gives it at once', () => basic],
      ['the namespace', basic],
      ['the exports of CommonJS', { add: basic.add }],
      ['a default export of functions', { default: { add: basic.add } }],
    ]) {
      test(`may be given as ${form}`, async () => {
        const executor = create(module)
        assert.equal(await executor.run('add', [1, 2]), 3)
        await executor.close()
      })
    }

    test('fails with the error of its import, and is named by its code', async () => {
      const load = () => import('../fixtures/tasks/load-throws.js')
      const { code, message, cause } = await rejection(create(load).run('add', [1, 2]))
      assert.deepEqual([code, cause instanceof RangeError], ['TW_ERR_START_FAILED', true])
      assert.ok(message.includes("import('../fixtures/tasks/load-throws.js')"), message)
    })

    test('must be a module', async () => {
      const { message } = await rejection(create(() => undefined).run('add', [1, 2]))
      assert.match(message, /a function that gives a module/)
    })
  })
}

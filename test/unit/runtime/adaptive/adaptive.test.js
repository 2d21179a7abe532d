// adaptive as a whole: calls move between the caller's thread and workers, and nobody can tell by what they give.
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { after, describe, test } from 'node:test'
import { adaptive } from 'threadwise'
import { forksRanIn } from '../../../fixtures/tasks/spans.js'
import { rejection, taskModule } from '../../../helpers/executors.js'

function make(options) {
  const executor = adaptive(taskModule('changing.js'), { size: 2, ...options })
  after(() => executor.destroy())
  return executor
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
const decisionOf = (executor, name) => executor.stats().decisions.find(({ task }) => task === name)

/** Calls it until its calls run inline. */
async function settleInline(executor, name, args = []) {
  while (decisionOf(executor, name)?.place !== 'inline' || decisionOf(executor, name).calls.inline < 10) {
    await executor.run(name, args)
    await turn()
  }
}

test(
  'a short function moves to the caller, and to the workers when it turns slow',
  { timeout: 60_000 },
  async () => {
    const executor = make()
    await settleInline(executor, 'burn', [0])
    let slow = 0
    while (decisionOf(executor, 'burn').place !== 'pool') {
      await executor.run('burn', [20_000])
      slow++
    }
    assert.ok(slow <= 5, `${slow} slow calls`) // one in four is timed
    assert.equal(decisionOf(executor, 'burn').reason, 'blocks')
    assert.equal(await executor.run('burn', [20_000]), false)
  },
)

test('the first calls go to workers', async () => {
  const executor = make()
  assert.equal(await executor.run('isHere'), false)
  assert.deepEqual(decisionOf(executor, 'isHere').calls, { inline: 0, pool: 1 })
})

test('with a maxBlock of 0 all calls do', async () => {
  const executor = make({ maxBlock: 0 })
  for (let i = 0; i < 200; i++) assert.equal(await executor.run('isHere'), false)
  assert.deepEqual(decisionOf(executor, 'isHere').calls, { inline: 0, pool: 200 })
})

test('a call with options does, whatever was learned', async () => {
  const executor = make()
  await settleInline(executor, 'isHereFor', [1])
  assert.equal(await executor.run('isHereFor', [1]), true)
  const { signal } = new AbortController()
  for (const options of [{ timeout: 5000 }, { signal }, { key: 'k' }, { priority: 1 }, { transfer: [] }, {}])
    assert.equal(await executor.run('isHereFor', [1], options), false)
})

test('a function that gives a promise stays in workers from then on', async () => {
  const executor = make()
  await settleInline(executor, 'maybeLater', [1])
  for (let i = 0; i < 10; i++) assert.equal(await executor.run('maybeLater', ['x']), 'x')
  assert.deepEqual([decisionOf(executor, 'maybeLater').place, decisionOf(executor, 'maybeLater').reason], ['pool', 'asynchronous']) // prettier-ignore
})

describe('what runs inline', () => {
  test('gets copies and gives copies', { timeout: 60_000 }, async () => {
    const executor = make()
    await settleInline(executor, 'echo', [1])
    await settleInline(executor, 'changes', [['x']])
    const value = { list: [1], at: new Date(5) }
    const back = await executor.run('echo', [value])
    assert.deepEqual(back, value)
    assert.notEqual(back, value)
    assert.notEqual(back.list, value.list)
    const list = ['x']
    assert.equal(await executor.run('changes', [list]), 2)
    assert.deepEqual(list, ['x'])
  })

  test('refuses what cannot be sent, as workers do', async () => {
    const executor = make()
    await settleInline(executor, 'echo', [1])
    for (const bad of [() => {}, { f() {} }, Symbol('s')]) {
      const error = await rejection(executor.run('echo', [bad]))
      assert.equal(error.code, 'TW_ERR_NOT_CLONEABLE')
      assert.match(error.message, /^An argument of task "echo"/)
    }
  })

  test('throws errors as they come from workers', async () => {
    const executor = make()
    const before = await rejection(executor.run('fails', [0]))
    await settleInline(executor, 'fails', [1])
    const { inline } = decisionOf(executor, 'fails').calls
    const [one, two] = [
      await rejection(executor.run('fails', [0])),
      await rejection(executor.run('fails', [0])),
    ]
    assert.ok(decisionOf(executor, 'fails').calls.inline > inline)
    for (const error of [one, two]) {
      assert.deepEqual([error.name, error.message, error.code], ['OwnError', 'mine', 'E_MINE'])
      assert.equal(error.constructor, before.constructor)
      assert.match(error.stack, /changing\.js/)
    }
    assert.notEqual(one, two)
  })

  test('counts in stats(), and is told in broadcasts', async () => {
    const executor = make()
    await settleInline(executor, 'isHere')
    const { inline, pool } = decisionOf(executor, 'isHere').calls
    assert.equal(executor.stats().completed, inline + pool)
    assert.equal(executor.kind, 'adaptive')
    const all = await executor.broadcast('countCalls')
    assert.deepEqual(all.map(([isHere]) => isHere), [false, false, true]) // prettier-ignore
  })

  test('stops with the executor', async () => {
    const executor = make()
    await settleInline(executor, 'isHere')
    await executor.close()
    assert.equal((await rejection(executor.run('isHere'))).code, 'TW_ERR_CLOSED')
  })
})

test('thousands of calls at once each get their own result', async () => {
  const executor = make()
  await settleInline(executor, 'echo', [1])
  const results = await Promise.all(Array.from({ length: 20_000 }, (_, i) => executor.run('echo', [i])))
  assert.ok(results.every((value, i) => value === i))
})

test('maxBlock is checked', () => {
  for (const maxBlock of [-1, '5', NaN, null])
    assert.throws(() => make({ maxBlock }), { code: 'TW_ERR_INVALID_OPTION', message: /maxBlock/ })
})

test('storage of the caller that is no context of threadwise is of no matter to the call', async () => {
  const executor = make()
  const storage = new AsyncLocalStorage()
  await settleInline(executor, 'echo', [1])
  assert.equal(await storage.run('x', () => executor.run('echo', [2])), 2)
})

test(
  'what a short function forks does not run in the thread of the caller',
  { timeout: 60_000 },
  async () => {
    const executor = adaptive(taskModule('spans.js'), { size: 2 })
    after(() => executor.destroy())
    // It is short, and so is what it forks at first.
    while ((decisionOf(executor, 'forkSpan')?.calls.inline ?? 0) < 20) {
      await executor.run('forkSpan', [0])
      await turn()
    }
    const inline = () => decisionOf(executor, 'forkSpan').calls.inline
    const nothingRuns = async () => {
      while (executor.stats().running > 0) await turn()
    }
    const before = inline()
    for (let i = 0; i < 5; i++) {
      // Beside what an earlier one has forked it is not alone, and goes to a worker unless it is very short.
      await nothingRuns()
      await executor.run('forkSpan', [300])
    }
    await nothingRuns()
    assert.ok(inline() > before, 'none of the calls ran here')
    const places = forksRanIn()
    assert.ok(places.length > 0 && !places.includes(0), `they ran in ${places}`)
  },
)

// adaptive as a whole: calls move between the caller's thread and workers, and nobody can tell by what they give. It decides by
// given times, so that no decision depends on the machine; the last test shows that it measures the real ones.
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, test } from 'node:test'
import { adaptive } from 'threadwise'
import { adaptiveWith } from '../../../../build/runtime/adaptive/adaptive-executor.js'
import { FunctionModel } from '../../../../build/runtime/adaptive/function-model.js'
import { forksRanIn } from '../../../fixtures/tasks/spans.js'
import { rejection, taskModule } from '../../../helpers/executors.js'
import { askUntil } from '../../../helpers/waiting.js'

const SHORT_US = 1
const BLOCKS_US = 20_000

/** Learns from the time that it is given, and keeps what was measured. Microseconds. */
class GivenTime extends FunctionModel {
  us = SHORT_US
  measured = { inWorker: [], inline: [], handOver: [] }

  ranInWorker(runUs, wentByMessage) {
    this.measured.inWorker.push(runUs)
    super.ranInWorker(this.us, wentByMessage)
  }

  ranInline(runUs, copyUs) {
    this.measured.inline.push({ runUs, copyUs })
    super.ranInline(this.us, 0)
  }

  handedOver(us) {
    this.measured.handOver.push(us)
  }
}

/** Gives { executor, models }: of the functions that were called, by their names. */
function make(t, { module = 'changing.js', ...options } = {}) {
  const models = {}
  const createModel = (name, maxBlockUs) => (models[name] = new GivenTime(name, maxBlockUs))
  const executor = adaptiveWith(createModel, taskModule(module), { size: 2, ...options })
  t.after(() => executor.destroy())
  return { executor, models }
}

const decisionOf = (executor, name) => executor.stats().decisions.find(({ task }) => task === name)
const callsOf = (executor, name) => decisionOf(executor, name).calls

/** Calls it as often as it takes to know that it is short, and then until the module is loaded in this thread. */
async function moveHere(executor, name, ...args) {
  for (let calls = 0; calls < 3; calls++) await executor.run(name, args)
  assert.equal(decisionOf(executor, name).place, 'inline')
  const call = () => executor.run(name, args)
  await askUntil(call, () => callsOf(executor, name).inline > 0)
}

test('a short function moves to the caller, and to the workers when it turns slow', async (t) => {
  const { executor, models } = make(t)
  await moveHere(executor, 'isHere')
  assert.equal(await executor.run('isHere'), true)
  models.isHere.us = BLOCKS_US
  let slow = 0
  for (; decisionOf(executor, 'isHere').place !== 'pool'; slow++) await executor.run('isHere')
  assert.ok(slow <= 4, `${slow} slow calls`) // one in four is timed
  assert.equal(decisionOf(executor, 'isHere').reason, 'blocks')
  assert.equal(await executor.run('isHere'), false)
})

test('the first calls go to workers', async (t) => {
  const { executor } = make(t)
  assert.equal(await executor.run('isHere'), false)
  assert.deepEqual(callsOf(executor, 'isHere'), { inline: 0, pool: 1 })
})

test('with a maxBlock of 0 all calls do', async (t) => {
  const { executor } = make(t, { maxBlock: 0 })
  for (let i = 0; i < 200; i++) assert.equal(await executor.run('isHere'), false)
  assert.deepEqual(callsOf(executor, 'isHere'), { inline: 0, pool: 200 })
})

test('a call with options does, whatever was learned', async (t) => {
  const { executor } = make(t)
  await moveHere(executor, 'isHereFor', 1)
  assert.equal(await executor.run('isHereFor', [1]), true)
  const { signal } = new AbortController()
  for (const options of [{ timeout: 5000 }, { signal }, { key: 'k' }, { priority: 1 }, { transfer: [] }, {}])
    assert.equal(await executor.run('isHereFor', [1], options), false)
})

test('a function that gives a promise stays in workers from then on', async (t) => {
  const { executor } = make(t)
  await moveHere(executor, 'maybeLater', 1)
  for (let i = 0; i < 10; i++) assert.equal(await executor.run('maybeLater', ['x']), 'x')
  const { place, reason } = decisionOf(executor, 'maybeLater')
  assert.deepEqual([place, reason], ['pool', 'asynchronous'])
})

describe('what runs inline', () => {
  test('gets copies and gives copies', async (t) => {
    const { executor } = make(t)
    await moveHere(executor, 'echo', 1)
    await moveHere(executor, 'changes', ['x'])
    const before = callsOf(executor, 'echo').inline
    const value = { list: [1], at: new Date(5) }
    const back = await executor.run('echo', [value])
    assert.equal(callsOf(executor, 'echo').inline, before + 1)
    assert.deepEqual(back, value)
    assert.notEqual(back, value)
    assert.notEqual(back.list, value.list)
    const list = ['x']
    assert.equal(await executor.run('changes', [list]), 2)
    assert.deepEqual(list, ['x'])
  })

  test('refuses what cannot be sent, as workers do', async (t) => {
    const { executor } = make(t)
    await moveHere(executor, 'echo', 1)
    for (const bad of [() => {}, { f() {} }, Symbol('s')]) {
      const error = await rejection(executor.run('echo', [bad]))
      assert.equal(error.code, 'TW_ERR_NOT_CLONEABLE')
      assert.match(error.message, /^An argument of task "echo"/)
    }
  })

  test('throws errors as they come from workers', async (t) => {
    const { executor } = make(t)
    const before = await rejection(executor.run('fails', [0]))
    await moveHere(executor, 'fails', 1)
    const { inline } = callsOf(executor, 'fails')
    const one = await rejection(executor.run('fails', [0]))
    const two = await rejection(executor.run('fails', [0]))
    assert.equal(callsOf(executor, 'fails').inline, inline + 2)
    for (const error of [one, two]) {
      assert.deepEqual([error.name, error.message, error.code], ['OwnError', 'mine', 'E_MINE'])
      assert.equal(error.constructor, before.constructor)
      assert.match(error.stack, /changing\.js/)
    }
    assert.notEqual(one, two)
  })

  test('counts in stats(), and is told in broadcasts', async (t) => {
    const { executor } = make(t)
    await moveHere(executor, 'isHere')
    const { inline, pool } = callsOf(executor, 'isHere')
    assert.equal(executor.stats().completed, inline + pool)
    assert.equal(executor.kind, 'adaptive')
    const all = await executor.broadcast('countCalls')
    assert.deepEqual(all.map(([isHere]) => isHere), [false, false, true]) // prettier-ignore
  })

  test('stops with the executor', async (t) => {
    const { executor } = make(t)
    await moveHere(executor, 'isHere')
    await executor.close()
    assert.equal((await rejection(executor.run('isHere'))).code, 'TW_ERR_CLOSED')
  })
})

test('thousands of calls at once each get their own result', async (t) => {
  const { executor } = make(t)
  await moveHere(executor, 'echo', 1)
  const results = await Promise.all(Array.from({ length: 20_000 }, (_, i) => executor.run('echo', [i])))
  assert.ok(results.every((value, i) => value === i))
  const { inline, pool } = callsOf(executor, 'echo')
  assert.ok(inline > 19_000 && pool > 19, `${inline} here, ${pool} in workers`)
})

test('maxBlock is checked', () => {
  for (const maxBlock of [-1, '5', NaN, null])
    assert.throws(() => adaptive(taskModule('changing.js'), { maxBlock }), {
      code: 'TW_ERR_INVALID_OPTION',
      message: /maxBlock/,
    })
})

test('storage of the caller that is no context of threadwise is of no matter to the call', async (t) => {
  const { executor } = make(t)
  const storage = new AsyncLocalStorage()
  await moveHere(executor, 'isHere')
  assert.equal(await storage.run('x', () => executor.run('isHere')), true)
})

test('what a short function forks does not run in the thread of the caller', async (t) => {
  const { executor } = make(t, { module: 'spans.js' })
  await moveHere(executor, 'forkSpan', 0)
  const { inline } = callsOf(executor, 'forkSpan')
  for (let i = 0; i < 5; i++) await executor.run('forkSpan', [20])
  assert.equal(callsOf(executor, 'forkSpan').inline, inline + 5)
  const places = await askUntil(forksRanIn, ({ length }) => length === inline + 5)
  assert.ok(!places.includes(0), `they ran in ${places}`)
})

test('the times are those of the calls, in both places', async (t) => {
  const { executor, models } = make(t)
  for (let i = 0; i < 3; i++) await executor.run('burn', [20_000])
  await moveHere(executor, 'burn', 20_000)
  const { inWorker, inline, handOver } = models.burn.measured
  await askUntil(() => executor.run('burn', [20_000, []]), () => inline.length > 0) // prettier-ignore
  assert.ok(inWorker.length >= 3 && inWorker.every((us) => us >= 20_000), String(inWorker))
  assert.ok(inline.every(({ runUs, copyUs }) => runUs >= 20_000 && copyUs > 0), JSON.stringify(inline)) // prettier-ignore
  assert.ok(handOver.length > 0 && handOver.every((us) => us > 0), String(handOver))
})

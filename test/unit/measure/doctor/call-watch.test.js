// Which of a function's calls are looked at, and what is kept of them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deserialize } from 'node:v8'
import { fakeClock } from '../../../helpers/fake-timers.js'
import { createCallWatch } from '../../../../build/measure/doctor/agent/call-watch.js'

const watch = (isAsync = false) => createCallWatch({ isAsync })
const valuesOf = ({ given, result }) =>
  [given, result].map((text) => deserialize(Buffer.from(text, 'base64')))

describe('a call that is looked at', () => {
  test('is kept as it was given, with what it gave', () => {
    const { enter, leave, seen } = watch()
    const rows = [{ id: 1 }]
    enter([rows])
    rows[0].sum = 5
    leave([rows])(undefined)
    assert.deepEqual([seen.calls, seen.returned, seen.changed], [1, 1, 1])
    assert.deepEqual(seen.kept.map(valuesOf), [[[[{ id: 1 }]], undefined]])
  })

  test('is one, though a function that begins with a loop comes by in each round', (t) => {
    fakeClock(t) // what is open for long counts as given up
    const { enter, leave, seen } = watch()
    for (let round = 0; round < 3; round++) enter(['rows'])
    leave(['rows'])('sum')
    assert.deepEqual([seen.calls, seen.returned, seen.kept.length], [1, 1, 1])
  })

  test('is the outermost of a recursion', () => {
    const { enter, leave, seen } = watch()
    enter([2])
    enter([1])
    assert.equal(leave([1]), null)
    leave([2])('outer')
    assert.deepEqual(seen.kept.map(valuesOf), [[[2], 'outer']])
  })

  test('is the one with the same arguments, where several are open at a time', async () => {
    const { enter, leave, seen } = watch(true)
    enter(['first'])
    enter(['second'])
    assert.equal(leave(['second']), null)
    leave(['first'])(Promise.resolve('done'))
    await Promise.resolve()
    await Promise.resolve()
    assert.deepEqual(seen.kept.map(valuesOf), [[['first'], 'done']])
  })

  test('shares memory with what it was given, and not with what merely lies beside it', () => {
    const { enter, leave, seen } = watch()
    const memory = new ArrayBuffer(16)
    const [given, beside] = [new Uint8Array(memory, 0, 8), new Uint8Array(memory, 8, 8)]
    enter([given])
    leave([given])(beside)
    assert.deepEqual(seen.shares, [])
    enter([given])
    leave([given])({ head: given.subarray(0, 4) })
    assert.deepEqual(seen.shares, ['it holds a view of the memory of argument 1'])
  })

  test('that took more than data is not kept, nor one that gives it', () => {
    const { enter, leave, seen } = watch()
    enter([() => {}])
    assert.equal(leave([() => {}]), null)
    enter([1])
    leave([1])({ add: () => {} })
    assert.deepEqual(
      [seen.problems, seen.gives, seen.kept],
      [['argument 1 is a function'], ['a function'], []],
    )
  })

  test('is not kept where it is given more than can be kept', () => {
    const { enter, leave, seen } = watch()
    const large = ['x'.repeat(5_000_000)]
    enter(large)
    assert.equal(leave(large), null)
    assert.deepEqual([seen.calls, seen.large, seen.kept.length], [1, 1, 0])
  })

  test('that threw is told with the class of the last value, and one that caught it is not', async () => {
    class Gone extends Error {}
    class Caught extends Error {}
    const { enter, leave, throws, end, seen } = watch()
    enter([1])
    throws(new Caught())
    leave([1])('caught')
    enter([2])
    throws(new Caught())
    throws(new Gone())
    await new Promise((resolve) => setImmediate(resolve))
    enter([3])
    throws(new RangeError())
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual([seen.threw, seen.returned], [2, 1])
    assert.deepEqual(end().map(({ name, hasPrivate }) => [name, hasPrivate]), [['Gone', false]]) // prettier-ignore
  })

  test('that gave a promise which is rejected is told with the class of the reason', async () => {
    class Gone extends Error {
      #status = 410
      get status() {
        return this.#status
      }
    }
    const { enter, leave, end, seen } = watch(true)
    enter([1])
    leave([1])(Promise.reject(new Gone()))
    await new Promise((resolve) => setImmediate(resolve))
    const [{ name, hasPrivate, text }] = end()
    assert.deepEqual([seen.threw, name, hasPrivate], [1, 'Gone', true])
    assert.match(text, /^class Gone extends Error/)
  })
})

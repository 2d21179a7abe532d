// A program that finishes on threads of size 1 finishes here: what lets a call go on waits behind no call that needs it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callback } from 'threadwise'
import { describeExecutors } from '../helpers/executors.js'
import { numbers } from '../helpers/many.js'
import { nextTurn } from '../helpers/waiting.js'

const sum = (list) => list.reduce((a, b) => a + b, 0)

/** Each gets a pool, and gives what it came to. */
const programs = {
  'calls in the loop over a stream': {
    async run({ tasks, stream }) {
      let total = 0
      for await (const n of stream('count', [64])) total += await tasks.add(n, 1)
      return total
    },
    result: 2080,
  },
  'calls in the loop over an asynchronous stream': {
    async run({ tasks, stream }) {
      let total = 0
      for await (const n of stream('countLater', [64])) total += await tasks.add(n, 1)
      return total
    },
    result: 2080,
  },
  'five streams that are read in step': {
    async run({ stream }) {
      const streams = numbers(5).map((i) => stream(i % 2 ? 'count' : 'countLater', [40]))
      let total = 0
      for (let i = 0; i < 40; i++) for (const each of streams) total += (await each.next()).value
      for (const each of streams) assert.equal((await each.next()).done, true)
      return total
    },
    result: 5 * 780,
  },
  'a function of the program that calls the pool': { run: ({ tasks }) => tasks.ask(1), result: 2 },
  'a task that asks twice, and tells between': {
    async run({ run }) {
      const told = []
      const value = await run('askTwice', [1], { onProgress: (value) => told.push(value) })
      return [value, told]
    },
    result: [3, [3]],
  },
  'a callback that calls the pool': {
    async run({ tasks }) {
      const later = async (value) => {
        await nextTurn()
        return tasks.add(value, 1)
      }
      return Promise.all([tasks.tell(1, callback(later)), tasks.tell(2, callback(later))])
    },
    result: [3, 4],
  },
  'many tasks that ask a function which calls the pool': {
    run: async ({ map }) => sum(await map('askTwice', numbers(24))),
    result: 276 + 48,
  },
  'messages that come of calls': {
    async run({ tasks, run }) {
      async function* source() {
        for (const i of numbers(20)) yield await tasks.add(i, 1)
      }
      return run('readAll', [], { messages: source() })
    },
    result: 210,
  },
  'forks that ask, at depth': { run: ({ tasks }) => tasks.fork(4), result: 5 },
  'a call that another one lets pass': {
    run: ({ tasks }) => Promise.all([tasks.pass('a'), tasks.pass('b'), tasks.close('b'), tasks.close('a')]),
    result: ['a', 'b', undefined, undefined],
    isOfOneWorker: true,
  },
}

describeExecutors('small pools', (make, { kind }) => {
  const given = kind === 'adaptive' ? { maxBlock: 0 } : {}

  for (const size of [1, 4])
    for (const [name, { run, result, isOfOneWorker }] of Object.entries(programs)) {
      if (isOfOneWorker && size > 1) continue
      test(`${name}, size ${size}`, { timeout: 30_000 }, async () => {
        const lookUp = async (value) => {
          await nextTurn()
          return pool.tasks.add(value, 1)
        }
        const pool = make('small-pools.js', { size, host: { lookUp }, ...given })
        assert.deepEqual(await run(pool), result)
      })
    }

  test('tasks that know no task overlap as they like', async () => {
    const pool = make('gates.js', { size: 1, ...given })
    const names = numbers(100).map(String)
    const passed = names.map((name) => pool.tasks.pass(name))
    await Promise.all([...names].reverse().map((name) => pool.tasks.close(name)))
    assert.deepEqual(await Promise.all(passed), names)
  })
})

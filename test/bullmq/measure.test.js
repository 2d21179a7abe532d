// threadwise measure with the executor bullmq: through a store, beside the others, and from the profile back into executor().
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { executor } from 'threadwise'
import { measure } from 'threadwise/measure'
import { testFolder } from '../helpers/files.js'
import { openQueue } from '../helpers/queues.js'
import { fixture, measuredCodes, run } from '../helpers/program.js'
import { startRedis, withoutRedis } from '../helpers/redis.js'
import { STORES } from '../helpers/stores.js'

const tasks = fixture('measured/tasks.js')
const limitMs = 240_000
const small = ['--quick', '--rounds', '1', '--sizes', '1', '--seed', '1']

for (const { name, missing, start } of STORES)
  test(
    `bullmq is measured beside the others, and leaves nothing in ${name}`,
    { skip: missing },
    async (t) => {
      const store = await start(t)
      const path = testFolder(t)
      const args = ['measure', tasks, '--task', 'block', '--args', '[[3]]', ...small]
      const json = path('result.json')
      const connection = store.url.replace(/\/\/(?:(\w+)@)?/, '//$1:secret@')
      const way = ['--executors', 'threads,bullmq', '--connection', connection]
      const { code, stdout, stderr } = await run([...args, ...way, '--json', json], { limitMs })
      assert.ok(measuredCodes.includes(code), `exit code ${code}: ${stderr}`)
      const result = JSON.parse(readFileSync(json, 'utf8'))
      assert.deepEqual(result.cells.map(({ executor, size }) => [executor, size]), [['inline', 1], ['threads', 1], ['bullmq', 1]]) // prettier-ignore
      const queue = result.cells[2]
      assert.equal(queue.failed, null)
      const most = 1000 / 3 // a worker blocks for 3 ms each; a call at either end of a window may count in it
      assert.ok(
        queue.throughput.median > 0 && queue.throughput.median < 1.2 * most,
        String(queue.throughput.median),
      )
      assert.ok(queue.mainCpuSecondsPerTask > 0)
      assert.match(stdout, /1 worker of a queue|bullmq 1/)
      for (const text of [stdout, stderr, readFileSync(json, 'utf8')]) assert.doesNotMatch(text, /secret/)
      assert.ok(await store.isEmpty())
    },
  )

test(
  'a store that does not answer fails its cell, and the others are measured',
  { skip: withoutRedis },
  async (t) => {
    const redis = await startRedis(t)
    await redis.kill()
    const options = { task: 'block', args: [[3]], quick: true, rounds: 1, sizes: [1], seed: 1 }
    const result = await measure(pathToFileURL(tasks), { ...options, executors: ['threads', 'bullmq'], connection: redis.url }) // prettier-ignore
    const [, threads, queue] = result.cells
    assert.equal(threads.failed, null)
    assert.match(queue.failed, /queue|store/)
  },
)

test('executor() runs what a profile says of bullmq', { skip: withoutRedis }, async (t) => {
  const redis = await startRedis(t)
  const queue = openQueue(t, redis)
  const path = testFolder(t)
  const module = pathToFileURL(path('tasks.js'))
  writeFileSync(path('tasks.js'), 'export const add = (a, b) => a + b\n')
  writeFileSync(path('package.json'), '{ "type": "module" }')
  const entry = {
    cpus: 2,
    executor: 'bullmq',
    size: 2,
    sentence: 'Run add on a queue.',
    measuredAt: '2026-01-01',
    node: 'v24',
  }
  writeFileSync(
    path('threadwise.json'),
    JSON.stringify({ version: 1, modules: { 'tasks.js': { add: [entry] } } }),
  )
  const { connection, queue: name } = queue
  assert.throws(() => executor(module), { code: 'TW_ERR_INVALID_OPTION', message: /connection/ })
  queue.worker()
  const pool = executor(module, { connection, queue: name })
  t.after(() => pool.destroy())
  assert.equal(pool.kind, 'bullmq')
  assert.equal(await pool.tasks.add(2, 3), 5)
  assert.equal(pool.stats().profile.sentence, 'Run add on a queue.')
})

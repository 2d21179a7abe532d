// Several servers of Redis that belong together: sentinels that know the main one, and a cluster. By URL, options, instance, and on the command line.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { randomUUID } from 'node:crypto'
import { bullmq, jobs, queueStatus, work } from 'threadwise/bullmq'
import { Cluster, Redis } from 'ioredis'
import { rejection } from '../helpers/executors.js'
import { testFolder } from '../helpers/files.js'
import { run, start, stderrSays } from '../helpers/program.js'
import { module } from '../helpers/queues.js'
import { startCluster, startSentinel } from '../helpers/redis-groups.js'
import { withoutRedis } from '../helpers/redis.js'

const skip = withoutRedis
const limitMs = 120_000
const linesIn = (path) => readFileSync(path, 'utf8').trim().split('\n')
const password = 'p@ss/word:1'

/** A worker and a caller of one queue, each by its own way to the store. */
function open(t, ways, options = {}) {
  const queue = `test-${randomUUID()}`
  const at = (connection) => ({ connection, queue, startTimeout: 60_000, ...options })
  const worker = work(module, { ...at(ways.worker), size: 1 })
  const caller = bullmq(module, { ...at(ways.caller), workerTimeout: 60_000 })
  t.after(() => Promise.all([caller.destroy(), worker.close({ timeout: 0 })]))
  return { queue, worker, caller, ...options }
}

test('Sentinel: by URL, options, instance and function; another server takes over', { skip }, async (t) => {
  const group = await startSentinel(t, { requirepass: password, masterauth: password })
  const url = `redis+sentinel://:${encodeURIComponent(password)}@127.0.0.1:${group.port}/jobs`
  const options = { sentinels: [{ host: '127.0.0.1', port: group.port }], name: 'jobs', password }
  const instance = new Redis({ ...options, lazyConnect: true })
  t.after(() => instance.disconnect())
  const ways = [url, options, instance, async () => instance, `${url}/2`]
  for (const way of ways) {
    const isSecond = way === ways.at(-1)
    const { worker, caller } = open(t, { worker: isSecond ? way : url, caller: way })
    await worker.ready
    assert.equal(await caller.tasks.add(1, 2), 3)
  }
  assert.equal(instance.status, 'wait', 'it stays the user own')

  const path = testFolder(t)
  const { queue, worker, caller } = open(t, { worker: url, caller: url })
  await worker.ready
  assert.equal(await caller.run('note', [path('runs'), 'before']), 'before')
  await group.main.kill()
  assert.equal(await caller.run('note', [path('runs'), 'after']), 'after')
  assert.deepEqual(linesIn(path('runs')), ['before', 'after'])
  const { workers } = await queueStatus({ connection: url, queue })
  assert.equal(workers.length, 1)
})

test('Cluster: by URL, instance and function; a tag is needed', { skip }, async (t) => {
  const nodes = await startCluster(t, { requirepass: password, masterauth: password })
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')
  const url = `redis+cluster://:${encodeURIComponent(password)}@${hosts}`
  const ends = nodes.map(({ port }) => ({ host: '127.0.0.1', port }))
  const instance = new Cluster(ends, { redisOptions: { password }, lazyConnect: true })
  // The password may also be that of each server.
  const other = new Cluster(ends.map((end) => ({ ...end, password })), { lazyConnect: true }) // prettier-ignore
  t.after(() => [instance, other].forEach((each) => each.disconnect()))
  const tagged = { prefix: '{shop}' }
  for (const way of [url, instance, other, () => instance]) {
    const { worker, caller, queue } = open(t, { worker: url, caller: way }, tagged)
    await worker.ready
    assert.equal(await caller.tasks.add(1, 2), 3)
    const seen = []
    const options = { onProgress: (value) => void seen.push(value) }
    const values = Array.from({ length: 50 }, (_, i) => i)
    assert.equal(await caller.run('report', values, options), 'done')
    assert.deepEqual(seen, values)
    assert.deepEqual(await caller.map('add', [1, 2, 3]).catch((error) => error), [NaN, NaN, NaN])
    const { workers, completed } = await queueStatus({ connection: way, queue, ...tagged })
    assert.equal(workers.length, 1)
    assert.ok(completed >= 2)
    const operated = jobs({ connection: way, queue, ...tagged })
    const failed = await rejection(caller.run('failWith', ['no'], { id: 'it' }))
    assert.equal(failed.message, 'no')
    assert.equal((await operated.failures()).length, 1)
    assert.equal((await operated.status('it')).state, 'failed')
    await operated.close()
  }
  for (const prefix of [undefined, 'shop', '{}']) {
    const caller = bullmq(module, { connection: url, queue: 'q', ...(prefix && { prefix }) })
    t.after(() => caller.destroy())
    const { code, message } = await rejection(caller.tasks.add(1, 2))
    assert.equal(code, 'TW_ERR_INVALID_OPTION')
    assert.match(message, /hash tag/)
  }
})

test('Sentinel and Cluster on the command line', { skip }, async (t) => {
  const { port } = await startSentinel(t)
  const nodes = await startCluster(t)
  const urls = [
    [`redis+sentinel://127.0.0.1:${port}/jobs`],
    [`redis+cluster://${nodes.map((node) => `127.0.0.1:${node.port}`).join(',')}`, '--prefix', '{shop}'],
  ]
  for (const [connection, ...prefix] of urls) {
    const at = ['--connection', connection, ...prefix]
    const worker = ['worker', fileURLToPath(module), '--queue', 'q', '--size', '1', ...at]
    const { child, ended } = start(worker, { limitMs })
    t.after(() => child.kill('SIGKILL'))
    await stderrSays(child, /takes jobs of queue q/)
    const caller = bullmq(module, { connection, queue: 'q', ...(prefix[1] && { prefix: prefix[1] }) })
    t.after(() => caller.destroy())
    assert.equal(await caller.tasks.add(1, 2), 3)
    const { code, stdout, stderr } = await run(['queue', 'q', ...at, '--json'], { limitMs })
    assert.equal(code, 0, stderr)
    assert.equal(JSON.parse(stdout).completed, 1)
    child.kill('SIGTERM')
    assert.equal((await ended).code, 0)
  }
})

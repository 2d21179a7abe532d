// Operating a queue on the command line: what asks first, what is refused in scripts, and what /metrics tells of the queue.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { jobs, queueStatus } from 'threadwise/bullmq'
import { rejection } from '../helpers/executors.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { freePort } from '../helpers/free-port.js'
import { program, run, start, stderrSays } from '../helpers/program.js'
import { module, openQueue } from '../helpers/queues.js'
import { startRedis, withoutRedis } from '../helpers/redis.js'
import { STORES } from '../helpers/stores.js'
import { askUntil, waitUntil } from '../helpers/waiting.js'

const limitMs = 120_000
// That of util-linux: the one of BSD has other options.
const hasScript = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0

/** Runs it on a terminal of its own, and types `answer` once it is asked. */
async function onTerminal(args, answer) {
  const command = [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', command, '/dev/null'], { env: { ...process.env, TERM: 'xterm' } })
  let text = ''
  child.stdout.on('data', (data) => (text += data))
  const ended = new Promise((resolve) => child.on('close', (code) => resolve(code)))
  await Promise.race([ended, waitUntil(() => text.includes('[y/N]'), 'it asks')])
  child.stdin.write(answer)
  return { code: await ended, text }
}

test(
  'on a terminal each action asks first: yes does it, anything else does not',
  { skip: withoutRedis || (!hasScript && 'no script(1)') },
  async (t) => {
    const redis = await startRedis(t)
    const queue = openQueue(t, redis)
    const at = ['--connection', redis.url]
    const status = () => queueStatus({ connection: redis.url, queue: queue.queue })
    const act = (answer, ...words) => onTerminal(['queue', queue.queue, ...words, ...at], answer)

    for (const [answer, code, isPaused] of [
      ['n\r', 1, false],
      ['\r', 1, false],
      ['yesterday\r', 1, false],
      ['\x04', 1, false], // the end of the input
      ['\x03', 130, false], // Ctrl-C
      ['y\r', 0, true],
    ]) {
      const asked = await act(answer, 'pause')
      assert.equal(asked.code, code, JSON.stringify([answer, asked.text]))
      assert.match(asked.text, new RegExp(`pause queue ${queue.queue}\\? \\[y/N\\]`))
      assert.equal((await status()).isPaused, isPaused, answer)
    }
    assert.equal((await act('YES\r', 'resume')).code, 0)
    assert.equal((await status()).isPaused, false)

    await queue.worker().ready
    const caller = queue.caller()
    for (const id of ['one', 'two']) await rejection(caller.run('failWith', ['no'], { id }))
    const asked = await act('y\r', 'remove', 'one')
    assert.match(asked.text, /remove one of queue [^]*1 of 1 jobs are removed/)
    assert.match((await act('n\r', 'remove', '--all')).text, /remove all failed jobs of queue/)
    assert.equal((await status()).failed, 1)
  },
)

for (const { name, missing, start: startStore } of STORES)
  describe(`in scripts, a queue in ${name}`, { skip: missing }, () => {
    let store
    before(async () => (store = await startStore()))
    after(() => store.stop())

    test('nothing is changed without --yes, and all is done with it', async (t) => {
      const queue = openQueue(t, store)
      const at = ['--connection', store.url]
      const act = (...words) => run(['queue', queue.queue, ...words, ...at], { limitMs })
      const operated = jobs({ connection: store.url, queue: queue.queue })
      t.after(() => operated.close())
      await queue.worker().ready
      const caller = queue.caller()
      const path = testFolder(t)
      await rejection(caller.run('failOnce', [path('flag')], { id: 'once' }))
      await rejection(caller.run('failWith', ['no'], { id: 'bad' }))

      for (const words of [
        ['retry', 'once'],
        ['retry', '--all'],
        ['remove', 'once'],
        ['cancel', 'once'],
        ['pause'],
        ['resume'],
        ['drain'],
      ]) {
        // prettier-ignore
        const { code, stderr } = await act(...words)
        assert.equal(code, 2, `${words}: ${stderr}`)
        assert.match(stderr, /--yes must be given where nobody can be asked/)
      }
      const { failed, isPaused } = await queueStatus({ connection: store.url, queue: queue.queue })
      assert.deepEqual([failed, isPaused], [2, false])

      const listed = JSON.parse((await act('failures', '--json')).stdout)
      assert.deepEqual(listed.map(({ id, error }) => [id, error]).sort(), [['bad', 'Error: no'], ['once', 'Error: the first time']]) // prettier-ignore
      const shown = JSON.parse((await act('status', 'once', '--json')).stdout)
      assert.deepEqual([shown.id, shown.task, shown.state], ['once', 'failOnce', 'failed'])

      assert.equal((await act('retry', '--all', '--yes')).code, 0)
      await askUntil(() => operated.status('once'), (job) => job?.state === 'completed') // prettier-ignore
      await askUntil(() => operated.status('bad'), (job) => job?.state === 'failed') // prettier-ignore
      const removed = await act('remove', 'bad', '--yes')
      assert.match(removed.stderr, /1 of 1 jobs are removed/)
      assert.equal((await act('remove', 'bad', '--yes')).code, 1)
      assert.match((await act('status', 'bad')).stderr, /there is no job bad/)

      assert.equal((await act('pause', '--yes')).code, 0)
      const waits = rejection(caller.run('add', [1, 2], { id: 'waits' }))
      await askUntil(() => operated.status('waits'), (job) => job?.state === 'waiting') // prettier-ignore
      assert.match((await act()).stdout, /1 waiting[^]*It is paused/)
      assert.equal((await act('cancel', 'waits', '--yes')).code, 0)
      assert.equal((await waits).name, 'AbortError')
      const drained = rejection(caller.tasks.add(1, 2))
      await askUntil(() => queueStatus({ connection: store.url, queue: queue.queue }), ({ waiting }) => waiting === 1) // prettier-ignore
      assert.equal((await act('drain', '--yes')).code, 0)
      assert.equal((await drained).code, 'TW_ERR_CALL_LOST')
      assert.equal((await act('resume', '--yes')).code, 0)
      assert.equal(await caller.tasks.add(1, 2), 3)
    })

    test('/metrics tells what waits, since when, what is paused, and how often jobs start', async (t) => {
      const queue = openQueue(t, store)
      const path = testFolder(t)
      const port = await freePort()
      const at = ['--queue', queue.queue, '--connection', store.url, '--lock', '1000']
      // The first one dies while it runs a job, which starts again.
      const first = await queue.process()
      const caller = queue.caller({ onWorkerExit: { retries: 2 } })
      const runs = caller.run('waitUntil', [path('started'), path('release')])
      await fileExists(path('started'))
      first.kill('SIGKILL')
      const args = ['worker', fileURLToPath(module), ...at, '--size', '1', '--port', String(port)]
      const { child } = start(args, { limitMs })
      t.after(() => child.kill('SIGKILL'))
      await stderrSays(child, /takes jobs/)
      const scrape = async () => {
        const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
        const lines = text.split('\n').filter((line) => line.startsWith('threadwise_queue_'))
        return Object.fromEntries(lines.map((line) => [line.replace(/queue="[^"]+",?/, '').replace(/\{\}? /, ' ').split(' ')[0], Number(line.split(' ').at(-1))])) // prettier-ignore
      }
      await askUntil(scrape, (found) => found['threadwise_queue_attempts_total{again="yes"}'] === 1)
      const waits = caller.tasks.add(1, 2)
      const found = await askUntil(scrape, (told) => told.threadwise_queue_waiting === 1 && told.threadwise_queue_oldest_seconds > 0) // prettier-ignore
      assert.deepEqual(
        {
          active: found.threadwise_queue_active,
          running: found.threadwise_queue_jobs_running,
          places: found.threadwise_queue_places,
          failed: found.threadwise_queue_failed,
          paused: found.threadwise_queue_paused,
          connected: found.threadwise_queue_connected,
          first: found['threadwise_queue_attempts_total{again="no"}'],
        },
        { active: 1, running: 1, places: 1, failed: 0, paused: 0, connected: 1, first: 0 },
      )
      assert.ok(found.threadwise_queue_oldest_seconds < 60, 'seconds, not milliseconds')
      assert.ok(found.threadwise_queue_store_seconds > 0 && found.threadwise_queue_store_seconds < 60)
      const operated = jobs({ connection: store.url, queue: queue.queue })
      t.after(() => operated.close())
      await operated.pause()
      assert.equal((await scrape()).threadwise_queue_paused, 1)
      await operated.resume()
      touch(path('release'))
      assert.deepEqual(await Promise.all([runs, waits]), ['released', 3])
      await askUntil(scrape, (told) => told['threadwise_queue_jobs_total{outcome="completed"}'] === 2 && told.threadwise_queue_waiting === 0 && told.threadwise_queue_oldest_seconds === 0) // prettier-ignore
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      for (const metric of ['waiting', 'active', 'failed', 'oldest_seconds', 'paused', 'store_seconds', 'attempts_total', 'jobs_total', 'places', 'connected']) // prettier-ignore
        assert.match(text, new RegExp(`# HELP threadwise_queue_${metric} [^]*# TYPE threadwise_queue_${metric} (gauge|counter)`)) // prettier-ignore
    })
  })

test('an action, an id or a switch that is none of its own is refused', async () => {
  for (const [words, reason] of [
    [['explode'], /the action must be one of failures/],
    [['retry'], /the id must be the id of a job, or --all/],
    [['status'], /the id must be the id of a job/],
    [['pause', 'invoice-17', '--yes'], /the id must be absent for pause/],
    [['drain', 'invoice-17', '--yes'], /the id must be absent for drain/],
    [['retry', 'invoice-17', '--all', '--yes'], /the id must be absent for retry --all/],
    [['drain', '--all', '--yes'], /--all must be given with retry or remove only/],
    [['cancel', 'invoice-17', '--all', '--yes'], /--all must be given with retry or remove only/],
  ]) {
    const { code, stderr } = await run(['queue', 'q', ...words, '--connection', 'redis://127.0.0.1:1'], { limitMs }) // prettier-ignore
    assert.equal(code, 2, `${words}: ${stderr}`)
    assert.match(stderr, reason)
  }
})

// `threadwise worker` and `threadwise queue`, as a user runs them.
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { freePort } from '../helpers/free-port.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { module, openQueue } from '../helpers/queues.js'
import { run, start, stderrSays } from '../helpers/program.js'
import { startRedis, withoutRedis } from '../helpers/redis.js'
import { askUntil } from '../helpers/waiting.js'

const file = fileURLToPath(module)
const limitMs = 240_000

test('a worker takes jobs, tells how it is, and drains on SIGTERM', { skip: withoutRedis }, async (t) => {
  const redis = await startRedis(t)
  const queue = openQueue(t, redis)
  const at = ['--connection', redis.url]
  const path = testFolder(t)
  const port = await freePort()
  const args = ['worker', file, '--queue', queue.queue, ...at, '--size', '1', '--port', String(port)]
  const { child, ended } = start(args, { limitMs })
  t.after(() => child.kill('SIGKILL'))
  await stderrSays(child, /takes jobs of queue .*, 1 at a time, in threads/)
  const caller = queue.caller()
  assert.equal(await caller.tasks.add(2, 3), 5)

  const health = await fetch(`http://127.0.0.1:${port}/health`)
  assert.deepEqual([health.status, (await health.json()).isConnected], [200, true])
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  assert.match(metrics, /threadwise_queue_jobs_total\{queue="[^"]+",outcome="completed"\} 1\n/)
  assert.match(metrics, /threadwise_calls_total\{executor="[^"]+",kind="threads",outcome="completed"\} 1\n/)
  assert.equal((await fetch(`http://127.0.0.1:${port}/other`)).status, 404)

  const running = caller.tasks.waitUntil(path('started'), path('release'))
  await fileExists(path('started'))
  // A worker that is held up for a second is left out.
  const ask = async () => {
    const { code, stdout, stderr } = await run(['queue', queue.queue, ...at, '--json'], { limitMs })
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout)
  }
  const { waiting, running: now, workers } = await askUntil(ask, ({ workers }) => workers.length > 0)
  assert.deepEqual([waiting, now, workers.length, workers[0].pid], [0, 1, 1, child.pid])
  const show = () => run(['queue', queue.queue, ...at], { limitMs })
  const shown = await askUntil(show, ({ stdout }) => /Workers: [1-9]/.test(stdout))
  assert.match(shown.stdout, /0 waiting, 1 running[^]*Workers: 1, for 1 jobs at a time[^]*1 of 1 +takes jobs/)

  child.kill('SIGTERM')
  child.kill('SIGINT') // both at once are one asking
  await stderrSays(child, /stops \(SIG(?:TERM|INT)\): lets jobs end/)
  touch(path('release'))
  assert.equal(await running, 'released')
  const { code, stderr } = await ended
  assert.equal(code, 0, stderr)
  assert.match(stderr, /has stopped/)
})

test('wrong usage and what cannot start are told', { skip: withoutRedis }, async (t) => {
  const redis = await startRedis(t)
  const at = ['--connection', redis.url]
  const taken = createServer().listen(0)
  t.after(() => taken.close())
  const onPort = (port) => run(['worker', file, '--queue', 'q', ...at, '--port', String(port)], { limitMs })
  const [taking, wrongPort, wrongGrace] = await Promise.all([
    onPort(taken.address().port),
    onPort(99_999),
    run(['worker', file, '--queue', 'q', ...at, '--grace', '-1'], { limitMs }),
  ])
  assert.deepEqual([taking.code, wrongPort.code, wrongGrace.code], [2, 2, 2])
  assert.match(taking.stderr, /--port must be a free port .*EADDRINUSE/, 'and it takes no jobs: it has ended')
  assert.match(wrongPort.stderr, /--port must be a number from 0 to 65535/)
  assert.match(wrongGrace.stderr, /--grace must be a number of milliseconds from 0/)
  const [withoutQueue, wrongKind, noFile] = await Promise.all([
    run(['worker', file], { limitMs }),
    run(['worker', file, '--queue', 'q', '--executor', 'inline'], { limitMs }),
    run(['worker', 'missing.js', '--queue', 'q', ...at], { limitMs }),
  ])
  assert.deepEqual([withoutQueue.code, wrongKind.code, noFile.code], [2, 2, 1])
  assert.match(withoutQueue.stderr, /--queue/)
  assert.match(wrongKind.stderr, /threads or processes/)
  assert.match(noFile.stderr, /missing\.js[^]*TW_ERR_START_FAILED/)
})

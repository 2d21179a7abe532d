// `threadwise worker` under `threadwise serve`: an app without a port, in several processes.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { queueStatus } from 'threadwise/bullmq'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { program } from '../helpers/program.js'
import { module, openQueue } from '../helpers/queues.js'
import { startRedis, withoutRedis } from '../helpers/redis.js'
import { serveCommand } from '../helpers/serve-command.js'
import { askUntil } from '../helpers/waiting.js'

const skip = process.platform === 'win32' || withoutRedis

test(
  'serve runs workers, replaces one that dies, and lets their jobs end',
  { skip, timeout: 120_000 },
  async (t) => {
    const redis = await startRedis(t)
    const queue = openQueue(t, redis)
    const path = testFolder(t)
    const worker = [
      'worker',
      fileURLToPath(module),
      '--queue',
      queue.queue,
      '--connection',
      redis.url,
      '--size',
      '1',
    ]
    const options = ['--portless', '--name', 'images', '-i', '2', '--wait-ready', '--ready-timeout', '60000']
    const served = await serveCommand(t, { command: [program, ...options, '--', ...worker] })
    const caller = queue.caller({ onWorkerExit: { retries: 1 } })
    const pids = async () =>
      (await queueStatus({ connection: redis.url, queue: queue.queue })).workers.map(({ pid }) => pid)
    const both = await askUntil(pids, ({ length }) => length === 2)
    assert.equal(await caller.tasks.add(2, 3), 5)

    process.kill(both[0], 'SIGKILL')
    const after = await askUntil(pids, (found) => found.length === 2 && !found.includes(both[0]))
    assert.ok(after.includes(both[1]), 'the other one has gone on')

    const running = caller.tasks.waitUntil(path('started'), path('release'))
    await fileExists(path('started'))
    const exited = once(served.child, 'exit')
    served.child.kill('SIGTERM')
    await served.said(/stops \(SIGTERM\): lets jobs end/)
    touch(path('release'))
    assert.equal(await running, 'released')
    const [code] = await exited
    assert.equal(code, 0)
    assert.deepEqual(await pids(), [])
  },
)

// Queues of a test: callers, workers in this process, and workers that can be killed.
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { bullmq, work } from 'threadwise/bullmq'

export const module = new URL('../fixtures/queue/tasks.js', import.meta.url)
const workerFile = fileURLToPath(new URL('../fixtures/queue/worker.js', import.meta.url))

/** A new queue on this Redis; what is made of it is closed after the test. */
export function openQueue(t, redis) {
  const queue = `test-${randomUUID()}`
  const at = { connection: redis.url, queue }
  const keep = (made, end) => {
    t.after(() => end(made))
    return made
  }
  return {
    ...at,
    caller: (options = {}) =>
      keep(bullmq(module, { ...at, startTimeout: 60_000, ...options }), (pool) => pool.destroy()),
    worker: (options = {}) =>
      keep(work(module, { ...at, size: 1, startTimeout: 60_000, ...options }), (worker) =>
        worker.close({ timeout: 0 }),
      ),
    /** Resolves when it takes jobs. */
    async process({ lockDuration = 1000, concurrency = 1 } = {}) {
      const args = [redis.url, queue, lockDuration, concurrency].map(String)
      const child = fork(workerFile, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
      keep(child, () => child.kill('SIGKILL'))
      await once(child, 'message')
      return child
    },
  }
}

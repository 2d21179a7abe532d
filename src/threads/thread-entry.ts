// Runs inside a worker thread: loads the task module, then serves calls from the parent.

import { parentPort, workerData } from 'node:worker_threads'
import { wrap } from '../protocol/envelope.js'
import type { FromWorker, ToWorker } from '../protocol/messages.js'
import { encodeThrown } from '../protocol/serialize-error.js'
import { TaskServer } from '../protocol/task-server.js'
import { loadTasks } from '../task/load-task.js'
import type { ThreadData } from './thread-worker.js'

const { module, name, id, started: startedBuffer } = workerData as ThreadData
const started = new Int32Array(startedBuffer)
const port = parentPort!
const post = (message: FromWorker) => port.postMessage(wrap(message))

loadTasks(module).then(
  (findTask) => {
    let count = 0
    const server = new TaskServer(findTask, {
      post,
      defer: setImmediate,
      callStarts: () => Atomics.store(started, 0, ++count | 0),
      worker: { name, id },
    })
    process.on('exit', () => server.flush())
    // Calls that cannot be read cannot be answered: the end of this worker settles them.
    port.on('messageerror', (error) => {
      throw error
    })
    port.on('message', (message: ToWorker) => {
      if (Array.isArray(message)) server.runBatch(message)
      else if (message.type === 'cancel') server.cancel(message)
      else process.exit(0)
    })
    post({ type: 'ready' })
  },
  (error: unknown) => post({ type: 'start-failed', error: encodeThrown(error) }),
)

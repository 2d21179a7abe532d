// Runs inside a worker thread: loads the task module, then serves calls from the parent.

import { parentPort, workerData } from 'node:worker_threads'
import { createHeapWatch } from '../protocol/heap-watch.js'
import { wrap } from '../protocol/envelope.js'
import { WAKE, type AT_ONCE, type FromWorker, type ToWorker } from '../protocol/messages.js'
import { encodeThrown } from '../protocol/serialize-error.js'
import { TaskServer } from '../protocol/task-server.js'
import { loadTasks, type FindTask } from '../task/load-task.js'
import { serveQueue } from '../transport/serve-queue.js'
import type { ThreadData } from './thread-data.js'

const { module, name, id, maxHeapBytes, started: startedBuffer, seat } = workerData as ThreadData
const started = new Int32Array(startedBuffer)
const port = parentPort!
const post = (message: FromWorker, transfer?: readonly object[]) =>
  port.postMessage(wrap(message), transfer as never)

function serve(findTask: FindTask): void {
  let count = 0
  const server = new TaskServer(findTask, {
    post,
    send: post,
    defer(callback) {
      setImmediate(() => {
        callback()
        queue?.afterTurn() // promises have settled: there may be places for calls from the queue again
      })
    },
    callStarts: () => Atomics.store(started, 0, ++count | 0),
    worker: { name, id },
    onCall: maxHeapBytes < Infinity ? createHeapWatch(maxHeapBytes, () => post({ type: 'worn' })) : undefined,
  })
  const queue = seat && serveQueue(seat, { port, server, post, onMessage })

  function onMessage(message: ToWorker | typeof WAKE): void {
    if (message === WAKE) return
    if (Array.isArray(message)) {
      if (queue) queue.runAfter(message[0] as number | typeof AT_ONCE, () => server.runBatch(message))
      else server.runBatch(message)
    } else if (message.type === 'retire') {
      queue?.retire()
      post({ type: 'retired' })
    } else if (message.type === 'close') {
      process.exit(0)
    } else {
      server.control(message)
    }
  }

  process.on('exit', () => server.flush())
  port.on('message', (message: ToWorker | typeof WAKE) => {
    onMessage(message)
    queue?.serve()
  })
  post({ type: 'ready' })
  queue?.serve()
}

// Calls that cannot be read cannot be answered: the end of this worker settles them.
port.on('messageerror', (error) => {
  throw error
})

loadTasks(module).then(serve, (error: unknown) => post({ type: 'start-failed', error: encodeThrown(error) }))
